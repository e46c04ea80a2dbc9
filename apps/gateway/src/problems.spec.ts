import { describe, expect, it } from '@jest/globals';
import { invalidField, Problem, problems, type ProblemCode } from '@postroom/contracts';
import { answeringPath, renderProblem } from './problems.js';

const text = answeringPath('/public/v1/conversations');
const settings = answeringPath('/settings/api/keys');
const contacts = {
  errors: 'codes',
  codes: 'contacts',
  problems: ['CONTACT_NOT_FOUND'],
  scope: 'read:contacts',
} as const;
const calendar = {
  errors: 'codes',
  codes: 'calendar',
  problems: ['CALENDAR_NOT_FOUND'],
  scope: 'read:calendar',
} as const;

const answered = { requestId: 'req_1' };

const violation = (field: string) => ({ field, message: { fr: 'attendu', en: 'expected' } });

describe('a refusal', () => {
  it.each(Object.keys(problems) as ProblemCode[])(
    '%s is a French text where texts are answered',
    (code) => {
      const { status, body } = renderProblem(new Problem(code), text, answered);
      expect(status).toBe(problems[code].status);
      const error = code === 'METHOD_NOT_ALLOWED' ? code : problems[code].fr;
      expect(body).toEqual({ error, code, requestId: 'req_1' });
    },
  );

  it.each(['/public/mcp', '/public/mcp?x=1'])(
    'of a method at %s is a French text, as MCP has it',
    (url) => {
      const { body } = renderProblem(
        new Problem('METHOD_NOT_ALLOWED'),
        answeringPath(url),
        answered,
      );
      const code = 'METHOD_NOT_ALLOWED';
      expect(body).toEqual({ error: problems[code].fr, code, requestId: 'req_1' });
    },
  );

  it.each(Object.keys(problems) as ProblemCode[])(
    '%s is its code and an English text in settings',
    (code) => {
      const { body } = renderProblem(new Problem(code), settings, answered);
      expect(body).toEqual({ error: code, message: problems[code].en, requestId: 'req_1' });
    },
  );

  it('of the gateway is a text in families that have codes too', () => {
    for (const code of [
      'SCOPE_MISSING',
      'IDEMPOTENCY_KEY_REUSED',
      'SERVICE_UNAVAILABLE',
    ] as const) {
      const { body } = renderProblem(new Problem(code), contacts, answered);
      const scope = code === 'SCOPE_MISSING' ? { requiredScope: 'read:contacts' } : {};
      expect(body).toEqual({ error: problems[code].fr, code, ...scope, requestId: 'req_1' });
    }
  });

  it.each([
    ['CONTACT_NOT_FOUND', { error: 'CONTACT_NOT_FOUND' }],
    ['FORBIDDEN', { error: 'FORBIDDEN' }],
    ['INVALID_REQUEST', { error: 'INVALID_ARGUMENT' }],
    ['INVALID_PAGE_TOKEN', { error: 'INVALID_ARGUMENT' }],
    ['INTERNAL', { error: 'CONTACTS_FAILED' }],
    ['VERSION_CONFLICT', { error: 'CONTACTS_FAILED', code: 'VERSION_CONFLICT' }],
    ['BODY_TOO_LARGE', { error: 'CONTACTS_FAILED', code: 'BODY_TOO_LARGE' }],
  ] as const)('%s of a family that has codes is a code', (code, error) => {
    const { status, body } = renderProblem(new Problem(code), contacts, answered);
    const told = { code: error.error, ...error, requestId: 'req_1' };
    expect([status, body]).toEqual([problems[code].status, told]);
  });

  it('of several faults is the first of the family’s table', () => {
    const violations = ['END_BEFORE_START', 'INVALID_CONFERENCE_LINK', 'INVALID_DATES'].map(
      (code) => ({ ...violation('title'), code }),
    );
    const problem = new Problem('INVALID_REQUEST', { violations });
    expect(renderProblem(problem, calendar, answered).body).toMatchObject({
      error: 'INVALID_DATES',
    });
    const here = { errors: 'settings', codes: 'calendar', problems: [], scope: null } as const;
    expect(renderProblem(problem, here, answered).body).toMatchObject({ error: 'INVALID_DATES' });
  });

  it('of an operation that is hidden says that its resource does not exist', () => {
    const { body } = renderProblem(new Problem('ROUTE_NOT_FOUND'), calendar, answered);
    const error = 'CALENDAR_NOT_FOUND';
    expect(body).toEqual({ error, code: error, requestId: 'req_1' });
  });

  it('names the fields at fault, the first of them in its sentence', () => {
    const problem = new Problem('INVALID_REQUEST', {
      violations: [{ ...violation('to.0'), fault: 'TOO_LONG' }, violation('text')],
    });
    expect(renderProblem(problem, text, answered).body).toEqual({
      error: 'Requête invalide. to.0 : attendu.',
      code: 'INVALID_REQUEST',
      requestId: 'req_1',
      details: [
        { field: 'to.0', code: 'TOO_LONG', message: 'attendu' },
        { field: 'text', code: 'MALFORMED', message: 'attendu' },
      ],
    });
    const inEnglish = { ...answered, language: 'en' } as const;
    expect(renderProblem(problem, text, inEnglish).body).toMatchObject({
      error: 'The request is not valid. to.0: expected.',
      details: [{ message: 'expected' }, { message: 'expected' }],
    });
    expect(renderProblem(invalidField('', 'attendu', 'expected'), settings, answered).body).toEqual(
      {
        error: 'INVALID_REQUEST',
        message: 'The request is not valid. expected.',
        requestId: 'req_1',
      },
    );
  });

  it('shows nothing of a field’s name that acts on whoever reads it', () => {
    const problem = new Problem('INVALID_REQUEST', {
      violations: [violation('a\u0000\u001b[1m\u202eb\ud800\u2028é😀\r\n')],
    });
    const field = 'a��[1m�b��é😀��';
    expect(renderProblem(problem, text, answered).body).toMatchObject({
      error: `Requête invalide. ${field} : attendu.`,
      details: [{ field }],
    });
  });

  it('names twenty fields at most', () => {
    const violations = Array.from({ length: 50 }, (_, i) => violation(`field${i}`));
    const { body } = renderProblem(new Problem('INVALID_REQUEST', { violations }), text, answered);
    expect((body as { details: unknown[] }).details).toHaveLength(20);
  });

  it('of a key tells how one is given, the same for every cause', () => {
    const problem = new Problem('UNAUTHENTICATED');
    expect(renderProblem(problem, text, answered).headers).toEqual({
      'www-authenticate': 'Bearer',
    });
    expect(renderProblem(problem, settings, answered).headers).toEqual({});
  });

  it('that passes says when to try again, unless it knows better', () => {
    const headersOf = (problem: Problem) => renderProblem(problem, text, answered).headers;
    expect(headersOf(new Problem('SERVICE_UNAVAILABLE'))).toEqual({ 'retry-after': '2' });
    expect(headersOf(new Problem('APPROVALS_UNAVAILABLE'))).toEqual({ 'retry-after': '2' });
    const later = { headers: { 'retry-after': '30' } };
    expect(headersOf(new Problem('SERVICE_UNAVAILABLE', later))).toEqual({ 'retry-after': '30' });
    expect(headersOf(new Problem('DUPLICATE_IN_PROGRESS'))).toEqual({});
    expect(headersOf(new Problem('INTERNAL'))).toEqual({});
  });

  it('says nothing of its cause', () => {
    const problem = new Problem('INTERNAL', { cause: new Error('secret of the inside') });
    expect(JSON.stringify(renderProblem(problem, settings, answered))).not.toContain('secret');
  });

  it.each([
    ['/settings/api', 'settings'],
    ['/settings/api?x', 'settings'],
    ['/settings/api/members/x', 'settings'],
    ['/settings/apian', 'text'],
    ['/public/settings/api/', 'text'],
    ['/', 'text'],
    ['', 'text'],
  ])('for the address %s has the style %s', (url, style) => {
    expect(answeringPath(url).errors).toBe(style);
  });
});
