import { describe, expect, it } from '@jest/globals';
import { checkedTools, manifest, type Tool } from '../tools/index.js';
import { argumentsOf } from './arguments.js';
import { idempotencyKeyOf } from './idempotency-key.js';

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

  it('is refused later when it is no text', () => {
    expect(idempotencyKeyOf({ ...request, params: { _meta: { idempotencyKey: 1 } } })).toBe('');
  });
});
