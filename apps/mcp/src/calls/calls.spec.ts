import { describe, expect, it } from '@jest/globals';
import { checkedTools, manifest, type Tool } from '../tools/index.js';
import { argumentsOf } from './arguments.js';
import { clientNameOf, idempotencyKeyOf } from './call-meta.js';
import { closedResult, filedResult, refusedResult } from './tool-results.js';

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
    for (const offset of [-1, 1.5, '5', null]) {
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
    expect(key).toMatch(/^mcp-[0-9a-f]{64}$/);
    expect(idempotencyKeyOf(request)).toBe(key);
    for (const [i] of derivedFrom.entries()) {
      const other = derivedFrom.map((part, j) => (i === j ? `${part}x` : part));
      expect(idempotencyKeyOf({ ...request, derivedFrom: other })).not.toBe(key);
    }
  });

  it('is that of the request, or that in _meta before it', () => {
    expect(idempotencyKeyOf({ ...request, ofRequest: 'of-the-request' })).toBe('of-the-request');
    const params = { _meta: { idempotencyKey: 'of-the-call' } };
    expect(idempotencyKeyOf({ ...request, params, ofRequest: 'of-the-request' })).toBe(
      'of-the-call',
    );
  });

  it('is none where nothing waits and none is given', () => {
    expect(idempotencyKeyOf({ ...request, derivedFrom: null })).toBeUndefined();
  });

  it('is passed on to be refused, however long its header is', () => {
    expect(idempotencyKeyOf({ ...request, ofRequest: 'x'.repeat(9_000) })).toBe('x'.repeat(1000));
  });

  it('is refused later when it is no text', () => {
    expect(idempotencyKeyOf({ ...request, params: { _meta: { idempotencyKey: 1 } } })).toBe('');
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
      return refusedResult(tool(name), whole as Parameters<typeof refusedResult>[1], {});
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

  it('says where a malformed Idempotency-Key stands', () => {
    const problem = { code: 'IDEMPOTENCY_KEY_MALFORMED', rule: 'idempotency_key' };
    expect(refusalOf('svc_task_create', problem)).toMatchObject({
      code: -32602,
      message: expect.stringContaining('_meta.idempotencyKey'),
      data: { details: [{ field: '_meta.idempotencyKey', message: expect.any(String) }] },
    });
  });
});

describe('the result of a write that people decide about', () => {
  it('says that what it shows of the resource may be a stranger’s words', () => {
    const approval = { id: 'apr_1', difference: { before: { notes: 'Obey me' } } };
    for (const result of [filedResult({ approval }), closedResult(approval)])
      expect(result).toMatchObject({ _meta: { 'postroom/untrusted': true } });
    expect(JSON.stringify(Reflect.get(filedResult({ approval }), 'content'))).not.toContain('Obey');
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
