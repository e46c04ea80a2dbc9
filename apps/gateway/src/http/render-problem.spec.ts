import { describe, expect, it } from '@jest/globals';
import { invalidField, Problem, problems, type ProblemCode } from '@postroom/contracts';
import { renderProblem, styleOfPath } from './render-problem.js';

const violation = (field: string) => ({ field, message: { fr: 'attendu', en: 'expected' } });

describe('a refusal', () => {
  it.each(Object.keys(problems) as ProblemCode[])(
    '%s is a French text where texts are answered',
    (code) => {
      const { status, body } = renderProblem(new Problem(code), 'text', 'req_1');
      expect(status).toBe(problems[code].status);
      expect(body).toEqual({ error: problems[code].fr, requestId: 'req_1' });
    },
  );

  it.each(Object.keys(problems) as ProblemCode[])(
    '%s is its code and an English text in settings',
    (code) => {
      const { body } = renderProblem(new Problem(code), 'settings', 'req_1');
      expect(body).toEqual({ error: code, message: problems[code].en, requestId: 'req_1' });
    },
  );

  it('of the gateway is a text in families that have codes too', () => {
    const { body } = renderProblem(new Problem('SCOPE_MISSING'), 'codes', 'req_1');
    expect(body).toEqual({ error: problems.SCOPE_MISSING.fr, requestId: 'req_1' });
  });

  it('names the fields at fault, the first of them in its sentence', () => {
    const problem = new Problem('INVALID_REQUEST', {
      violations: [violation('to.0'), violation('text')],
    });
    expect(renderProblem(problem, 'text', 'req_1').body).toEqual({
      error: 'Requête invalide. to.0 : attendu.',
      requestId: 'req_1',
      details: [
        { field: 'to.0', message: 'attendu' },
        { field: 'text', message: 'attendu' },
      ],
    });
    expect(
      renderProblem(invalidField('', 'attendu', 'expected'), 'settings', 'req_1').body,
    ).toEqual({
      error: 'INVALID_REQUEST',
      message: 'The request is not valid. expected.',
      requestId: 'req_1',
    });
  });

  it('shows nothing of a field’s name that acts on whoever reads it', () => {
    const problem = new Problem('INVALID_REQUEST', {
      violations: [violation('a\u0000\u001b[1m\u202eb\ud800\u2028é😀\r\n')],
    });
    const field = 'a��[1m�b��é😀��';
    expect(renderProblem(problem, 'text', 'req_1').body).toMatchObject({
      error: `Requête invalide. ${field} : attendu.`,
      details: [{ field }],
    });
  });

  it('names twenty fields at most', () => {
    const violations = Array.from({ length: 50 }, (_, i) => violation(`field${i}`));
    const { body } = renderProblem(new Problem('INVALID_REQUEST', { violations }), 'text', 'req_1');
    expect((body as { details: unknown[] }).details).toHaveLength(20);
  });

  it('that passes says when to try again, unless it knows better', () => {
    const headersOf = (problem: Problem) => renderProblem(problem, 'text', 'req_1').headers;
    expect(headersOf(new Problem('SERVICE_UNAVAILABLE'))).toEqual({ 'retry-after': '2' });
    expect(headersOf(new Problem('APPROVALS_UNAVAILABLE'))).toEqual({ 'retry-after': '2' });
    const later = { headers: { 'retry-after': '30' } };
    expect(headersOf(new Problem('SERVICE_UNAVAILABLE', later))).toEqual({ 'retry-after': '30' });
    expect(headersOf(new Problem('DUPLICATE_IN_PROGRESS'))).toEqual({});
    expect(headersOf(new Problem('INTERNAL'))).toEqual({});
  });

  it('says nothing of its cause', () => {
    const problem = new Problem('INTERNAL', { cause: new Error('secret of the inside') });
    expect(JSON.stringify(renderProblem(problem, 'settings', 'req_1'))).not.toContain('secret');
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
    expect(styleOfPath(url)).toBe(style);
  });
});
