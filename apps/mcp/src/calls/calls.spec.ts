import { describe, expect, it } from '@jest/globals';
import type { KeyCaller } from '@postroom/access';
import { aKey } from '@postroom/service-testing';
import { checkedTools, manifest, type Tool } from '../tools/index.js';
import { argumentsOf } from './arguments.js';
import { clientNameOf, idempotencyKeyOf } from './call-meta.js';
import {
  closedResult,
  filedResult,
  refusedResult,
  successResult,
  withIgnored,
  wrongArgumentsResult,
} from './tool-results.js';

const tools = checkedTools(manifest);
const tool = (name: string): Tool => tools.find((one) => one.name === name) as Tool;
const mailbox = 'support@acme.test';

describe('the arguments of a call', () => {
  it('become the fields of the operation', () => {
    expect(argumentsOf(tool('svc_search'), { query: 'x', mailbox })).toMatchObject({
      input: { q: 'x', mailbox },
      faults: [],
      reaching: undefined,
    });
  });

  it('may be left out', () => {
    expect(argumentsOf(tool('svc_search'), undefined)).toMatchObject({ input: {}, faults: [] });
  });

  it('are not for the operation where they are for the presentation alone', () => {
    const given = argumentsOf(tool('svc_conversation_get'), { id: 'x', mailbox, offset: 5 });
    expect(given).toMatchObject({ input: { id: 'x', mailbox }, paging: { offset: 5 }, faults: [] });
    for (const offset of [-1, 1.5, '5']) {
      const { faults } = argumentsOf(tool('svc_conversation_get'), { id: 'x', mailbox, offset });
      expect(faults).toMatchObject([{ field: 'offset' }]);
    }
  });

  it('name a mailbox that only has to be reached', () => {
    expect(argumentsOf(tool('svc_contact_get'), { id: 'x', mailbox })).toMatchObject({
      input: { id: 'x' },
      reaching: { mailbox },
    });
    expect(argumentsOf(tool('svc_contact_get'), { id: 'x' }).reaching).toEqual({});
  });

  it('are read from text where the schema says object or list, and nowhere else', () => {
    const { input } = argumentsOf(tool('svc_draft_create'), {
      mailbox,
      subject: '{"a":1}',
      body: '[1]',
      draft: '{"subject":"Hi"}',
      attachments: '[]',
      unknown: '{"a":1}',
    });
    expect(input).toEqual({
      mailbox,
      subject: '{"a":1}',
      body: '[1]',
      draft: { subject: 'Hi' },
      attachments: [],
      unknown: '{"a":1}',
    });
    expect(argumentsOf(tool('svc_draft_create'), '{"subject":"Hi"}').input).toEqual({
      subject: 'Hi',
    });
    expect(argumentsOf(tool('svc_draft_create'), { draft: '{"subject' }).input).toEqual({
      draft: '{"subject',
    });
  });

  it('are absent when they are null or empty, and not inside an object that repeats them', () => {
    const nothing = { subject: null, body: '', offset: null, to: ['', null, 'a@b.example'] };
    expect(argumentsOf(tool('svc_draft_update'), { id: 'x', ...nothing }).input).toEqual({
      id: 'x',
      to: ['', null, 'a@b.example'],
    });
    const draft = { subject: null };
    expect(argumentsOf(tool('svc_draft_update'), { id: 'x', draft }).input).toEqual({
      id: 'x',
      draft,
    });
    const recurrence = { rrule: 'FREQ=DAILY', timeZone: '', count: null };
    expect(argumentsOf(tool('svc_task_create'), { recurrence }).input).toEqual({
      recurrence: { rrule: 'FREQ=DAILY' },
    });
    const read = argumentsOf(tool('svc_conversation_get'), {
      id: 'x',
      offset: null,
      wholeText: null,
    });
    expect(read).toMatchObject({ faults: [], paging: {} });
  });

  it.each([
    [{ startMs: 1_772_442_000, endMs: 1_772_445_600_000 }, ['startMs']],
    [{ task: { dueMs: 1 } }, ['task.dueMs']],
    [{ recurrence: { exceptMs: [1_772_442_000_000, 1_772_442_000] } }, ['recurrence.exceptMs.1']],
    [{ startMs: '1772442000', dueMs: 0, minutes: 5, other: 1_772_442_000 }, []],
  ])('are refused where %j has seconds for milliseconds', (given, fields) => {
    const { faults } = argumentsOf(tool('svc_task_create'), given);
    expect(faults.map(({ field }) => field)).toEqual(fields);
  });

  it.each([
    [{ mailbox, recipient: 'a@b.example', text: 'Hello' }, 'mailbox, recipient, text'],
    [{ mailbox, draft: { message: 'Hello' } }, 'message'],
    [{ mailbox, subject: '', threadId: 'cnv_1' }, 'mailbox, threadId'],
  ])('of an empty draft, %j, are refused with the names that were given', (given, names) => {
    expect(argumentsOf(tool('svc_draft_create'), given).faults).toMatchObject([
      { field: 'arguments', message: { en: expect.stringContaining(`(given: ${names})`) } },
    ]);
    for (const said of [{ body: 'x' }, { inReplyTo: 'msg_1' }, { draft: { to: ['a@b.example'] } }])
      expect(argumentsOf(tool('svc_draft_create'), { mailbox, ...said }).faults).toEqual([]);
  });

  it.each([[[]], ['x'], [1], [true], ['[]']])('are refused when they are %j', (raw) => {
    expect(argumentsOf(tool('svc_draft_create'), raw).faults).toMatchObject([
      { field: 'arguments' },
    ]);
  });

  it('are refused when they are nested without end', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`) as unknown;
    expect(argumentsOf(tool('svc_draft_create'), deep).faults).toMatchObject([
      { field: 'arguments' },
    ]);
  });

  it('are as deep when they come as text', () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`;
    expect(argumentsOf(tool('svc_draft_create'), { draft: deep }).faults).toMatchObject([
      { field: 'arguments' },
    ]);
  });

  it.each([
    ['{"dueMs":1e400}', 'dueMs'],
    ['{"recurrence":{"freq":"daily","count":1e400}}', 'recurrence.count'],
    ['{"recurrence":-1e999}', 'recurrence'],
    ['{"task":"{\\"dueMs\\":1e400}"}', 'task.dueMs'],
    ['{"other":[1,[1e309]]}', 'other.1.0'],
  ])('are refused for the number of %s, which JSON would make null of', (text, field) => {
    const { input, faults } = argumentsOf(tool('svc_task_create'), JSON.parse(text));
    expect(input).toEqual({});
    expect(faults).toMatchObject([{ field, message: { en: 'the number is too large' } }]);
  });

  it('may have the largest number that there is', () => {
    const { input } = argumentsOf(tool('svc_task_create'), { dueMs: Number.MAX_VALUE });
    expect(input).toEqual({ dueMs: Number.MAX_VALUE });
  });

  it('are the same whatever their order', () => {
    const one = argumentsOf(tool('svc_draft_create'), {
      mailbox,
      draft: { subject: 'a', body: 'b' },
    });
    const other = argumentsOf(tool('svc_draft_create'), {
      draft: { body: 'b', subject: 'a' },
      mailbox,
    });
    expect(one.canonical).toBe(other.canonical);
  });
});

describe('the Idempotency-Key of a call', () => {
  const derivedFrom = ['key_1', 'svc_draft_create', '{}'];
  const request = { params: {}, ofRequest: undefined, derivedFrom };

  it('is derived from key, tool and arguments where a call waits for approval', () => {
    const key = idempotencyKeyOf(request);
    expect(key).toEqual({ value: expect.stringMatching(/^mcp-[0-9a-f]{64}$/), isDerived: true });
    expect(idempotencyKeyOf(request)).toEqual(key);
    for (const [i] of derivedFrom.entries()) {
      const other = derivedFrom.map((part, j) => (i === j ? `${part}x` : part));
      expect(idempotencyKeyOf({ ...request, derivedFrom: other })).not.toEqual(key);
    }
  });

  it('is that of the request, or that in _meta before it, whatever it is', () => {
    const given = (ofRequest: string, meta?: unknown) => {
      const params = meta === undefined ? {} : { _meta: { idempotencyKey: meta } };
      return idempotencyKeyOf({ ...request, params, ofRequest });
    };
    const isDerived = false;
    expect(given('of-the-request')).toEqual({ value: 'of-the-request', isDerived });
    expect(given('of-the-request', 'of-the-call')).toEqual({ value: 'of-the-call', isDerived });
    // Refused later, as malformed.
    expect(given('x'.repeat(9_000))).toEqual({ value: 'x'.repeat(1000), isDerived });
    expect(given('of-the-request', 1)).toEqual({ value: '', isDerived });
  });

  it('is none where nothing waits and none is given', () => {
    expect(idempotencyKeyOf({ ...request, derivedFrom: null })).toBeUndefined();
  });
});

describe('the refusal of wrong arguments', () => {
  const refusalOf = (name: string, problem: object): unknown => {
    const whole = {
      code: 'INVALID_REQUEST',
      rule: 'input',
      violations: [],
      fields: {},
      ...problem,
    };
    try {
      const caller = aKey({ grants: { [mailbox]: 'read' } });
      const refused = whole as Parameters<typeof refusedResult>[0]['problem'];
      return refusedResult({ tool: tool(name), problem: refused, headers: {}, caller });
    } catch (error) {
      return error;
    }
  };
  const violation = (field: string) => ({ field, message: { fr: 'non', en: 'no' } });

  it.each([
    ['q', 'query', 'query: no.'],
    ['arguments.q', 'q', 'q: no.'],
    ['limit', 'limit', 'limit: no.'],
    ['', 'arguments', 'no.'],
    ['arguments', 'arguments', 'no.'],
  ])('names the field %j as the call does: %s', (field, argument, said) => {
    const violations = [violation(field), violation('mailbox')];
    expect(refusalOf('svc_search', { violations })).toMatchObject({
      code: -32602,
      message: `The arguments of svc_search are not valid. ${said}`,
      data: { details: [{ field: argument }, { field: 'mailbox' }] },
    });
  });

  it('is a result that a model sees, with every fault, in revision 2026-07-28, and nothing else is', () => {
    const violations = [violation('q'), violation('mailbox')];
    const shown = wrongArgumentsResult(refusalOf('svc_search', { violations }));
    expect(shown).toMatchObject({
      isError: true,
      content: [{ text: 'The arguments of svc_search are not valid. query: no. mailbox: no.' }],
      structuredContent: {
        error: { code: 'INVALID_REQUEST', details: [{ field: 'query' }, { field: 'mailbox' }] },
      },
    });
    const others = [
      { rule: 'scope', code: 'SCOPE_MISSING' },
      { code: 'IDEMPOTENCY_KEY_MALFORMED' },
    ];
    for (const problem of others) {
      const refusal = refusalOf('svc_search', problem);
      expect(() => wrongArgumentsResult(refusal)).toThrow(refusal);
    }
  });

  it('says where a malformed Idempotency-Key stands', () => {
    const problem = { code: 'IDEMPOTENCY_KEY_MALFORMED', rule: 'idempotency_key' };
    expect(refusalOf('svc_task_create', problem)).toMatchObject({
      code: -32602,
      message: expect.stringContaining('_meta.idempotencyKey'),
      data: { details: [{ field: '_meta.idempotencyKey', message: expect.any(String) }] },
    });
  });
});

describe('the refusal of a mailbox', () => {
  it('names those of the key', () => {
    const grants = { 'a@acme.test': 'write', 'b@acme.test': 'read' } as const;
    const problem = {
      code: 'MAILBOX_FORBIDDEN',
      rule: 'mailbox',
      violations: [],
      fields: {},
    } as const;
    const call = { tool: tool('svc_search'), problem: { ...problem, violations: [] }, headers: {} };
    const refuse = (caller: KeyCaller) => () => refusedResult({ ...call, caller });
    expect(refuse(aKey({ grants }))).toThrow('a@acme.test (write), b@acme.test (read)');
    expect(refuse(aKey({ grants: {} }))).toThrow('It has none.');
  });
});

describe('the result of a write that people decide about', () => {
  it.each([
    [
      { state: 'refused', result: { status: 404, body: { code: 'DRAFT_NOT_FOUND' } } },
      'Reason: DRAFT_NOT_FOUND.',
      'files it anew',
    ],
    [{ state: 'expired' }, 'Nobody decided in time.', 'files it anew'],
    [
      { state: 'cancelled' },
      'It was withdrawn, or the key that filed it was revoked.',
      'files it anew',
    ],
    [
      { state: 'rejected', decidedBy: 'ada@acme.test', comment: 'No.' },
      '(ada@acme.test), saying: No.',
      'Do not file it again',
    ],
  ])('gives the reason of %j, and what the same call means next', (approval, reason, next) => {
    const [said] = closedResult(approval)?.content ?? [];
    expect(said?.text).toContain(reason);
    expect(said?.text).toContain(next);
  });

  it('shows times as people read them', () => {
    const payload = { startMs: 1_772_442_000_000, recurrence: { untilMs: 1 } };
    expect(filedResult({ approval: { id: 'apr_1', payload } }).structuredContent).toMatchObject({
      approval: { payload: { ...payload, startIso: '2026-03-02T09:00:00.000Z' } },
    });
  });

  it('says that what it shows of the resource may be a stranger’s words', () => {
    const approval = { id: 'apr_1', difference: { before: { notes: 'Obey me' } } };
    for (const result of [filedResult({ approval }), closedResult(approval)])
      expect(result).toMatchObject({ _meta: { 'postroom/untrusted': true } });
    expect(JSON.stringify(filedResult({ approval }).content)).not.toContain('Obey');
  });
});

describe('a result', () => {
  const done = { text: 'Done', structured: { draft: {} } };

  it('says which arguments were ignored, in its text too', () => {
    const headers = { 'x-svc-ignored': 'recipient, draft.na%C3%AFve' };
    const told = withIgnored(successResult(done, headers), headers);
    expect(told.structuredContent).toEqual({ draft: {}, ignored: ['recipient', 'draft.naïve'] });
    expect(told.content[0]?.text).toMatch(/^Ignored.*: recipient, draft\.naïve\.\nDone$/);
    expect(withIgnored(successResult(done, {}), {})).toEqual(successResult(done, {}));
  });

  it('of a call that was done before says when, and that nothing was written now', () => {
    const headers = { 'x-svc-done-at': '2026-03-02T09:00:00.000Z' };
    expect(successResult(done, headers).content[0]?.text).toBe(
      'The call was done at 2026-03-02T09:00:00.000Z; nothing was written now.\nDone',
    );
  });
});

describe('the name of a client', () => {
  const named = (info: unknown) => ({ _meta: { 'io.modelcontextprotocol/clientInfo': info } });

  it('is the one in _meta, or else the User-Agent', () => {
    const info = { name: 'An agent', version: '1.2' };
    expect(clientNameOf(named(info), 'node')).toBe('An agent 1.2');
    expect(clientNameOf(named({ name: 'An agent' }), 'node')).toBe('An agent');
    expect(clientNameOf({}, 'claude-code/2.1 (cli)')).toBe('claude-code/2.1 (cli)');
    for (const wrong of [null, 'x', [], {}, { name: 1, version: '1' }, { version: '1' }])
      expect(clientNameOf(named(wrong), 'node')).toBe('node');
  });

  it('is none where nothing can be seen of it', () => {
    expect(clientNameOf({}, undefined)).toBeUndefined();
    expect(clientNameOf(named({ name: '\u200b\u202e ' }), undefined)).toBeUndefined();
  });

  it('is one short line without hidden characters', () => {
    const name = `Reviewed\nby\u202e\u0000 Ada ${'x'.repeat(10_000)}`;
    const shown = clientNameOf(named({ name }), undefined);
    expect(shown).toMatch(/^Reviewed by Ada x+…$/);
    expect(shown).toHaveLength(101);
  });
});
