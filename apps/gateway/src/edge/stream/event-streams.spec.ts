import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { continuationHeader, newId, shownEvents, type EventJudgement } from '@postroom/contracts';
import { aKey } from '@postroom/service-testing';
import { Gateway, idOfKey, type SomeWorkspace } from '../../testing/gateway.js';

const mailbox = 'support@acme.test';

/** A part of a stream, as the service of MCP answers it: its frames, and where the next one begins. */
interface Part {
  readonly text: string;
  readonly next: string | null;
}

let gateway: Gateway;
let workspace: SomeWorkspace;
/** Answers a part after a cursor; undefined for the first. */
let answer: (after: string | undefined) => Promise<Part | null>;
let asked: (string | undefined)[];
const opened: AbortController[] = [];

beforeAll(async () => {
  gateway = await Gateway.start();
  workspace = await gateway.workspace();
  gateway.mcp.answer = async ({ input }) => {
    const { lastEventId } = input as { lastEventId?: string };
    asked.push(lastEventId);
    const part = await answer(lastEventId);
    if (!part) return { status: 503, problem: 'SERVICE_UNAVAILABLE' };
    const more = part.next === null ? {} : { [continuationHeader]: part.next };
    return {
      headers: { 'content-type': 'text/event-stream', ...more },
      body: Buffer.from(part.text),
    };
  };
});
afterAll(() => gateway.close());
beforeEach(() => {
  asked = [];
  for (const one of opened.splice(0)) one.abort();
});

const open = (key: string): Promise<Response> => {
  const over = new AbortController();
  opened.push(over);
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const { signal } = over;
  return fetch(gateway.url('/public/mcp/latest'), { method: 'POST', headers, body: '{}', signal });
};
/** Parts without end: each is empty, and there after a while. */
const endless = async (): Promise<Part> => {
  await sleep(50);
  return { text: ': \n\n', next: 'more' };
};

describe('a stream of events over MCP', () => {
  it('has the parts one after the other, each asked for where the one before has ended', async () => {
    const parts = [
      { text: 'one', next: '1' },
      { text: 'two', next: '2' },
      { text: 'three', next: null },
    ];
    answer = (after) => Promise.resolve(parts[Number(after ?? 0)] ?? null);
    const response = await open(await gateway.key(workspace));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get(continuationHeader)).toBeNull();
    expect(response.headers.get('x-ratelimit-limit')).not.toBeNull();
    expect(await response.text()).toBe('onetwothree');
    expect(asked).toEqual([undefined, '1', '2']);
  });

  it('is broken off where its service does not answer, for its reader to come again', async () => {
    answer = (after) => Promise.resolve(after === undefined ? { text: 'one', next: '1' } : null);
    expect(await (await open(await gateway.key(workspace))).text()).toBe('one');
  });

  it('shows nothing of a part that was waited for while the key was changed', async () => {
    const key = await gateway.key(workspace);
    const shown = [
      { text: 'one', next: '1' },
      { text: 'secret', next: '2' },
      { text: 'ended', next: null },
    ];
    answer = async () => {
      const part = shown.shift() ?? null;
      if (part?.text === 'secret')
        await gateway.change('UPDATE keys SET revoked_at = now() WHERE id = $1', [idOfKey(key)]);
      return part;
    };
    expect(await (await open(key)).text()).toBe('oneended');
    expect(asked).toEqual([undefined, '1', '1']);
  });

  it('is one of ten of a key (gateway.eventStreams), and leaves another key room', async () => {
    answer = endless;
    const [key, other] = [await gateway.key(workspace), await gateway.key(workspace)];
    for (let i = 0; i < 10; i++) expect((await open(key)).status).toBe(200);
    const refused = await open(key);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    expect((await open(other)).status).toBe(200);
    expect((await open(await gateway.key(await gateway.workspace()))).status).toBe(200);
    for (const one of opened.splice(0)) one.abort();
    for (let status = 429; status === 429; await sleep(20)) ({ status } = await open(key));
  });

  it('ends with its gateway', async () => {
    answer = endless;
    const response = await open(await gateway.key(workspace));
    await gateway.restart();
    expect(await response.text()).toMatch(/^: /);
  });
});

describe('shownEvents.judge', () => {
  const judge = async (key: string, given: object = {}, tenantId = workspace.id) => {
    const caller = aKey({ tenantId, keyId: idOfKey(key), scopes: [] });
    const resource = { type: 'conversation', id: newId('cnv') };
    const input = {
      type: 'conversation.received',
      mailbox: 'Support@acme.test',
      resource,
      data: {},
      ...given,
    };
    const client = gateway.client('webhooks');
    const reply = await client.call(shownEvents.judge, caller, input, { requestId: 'r' });
    return (JSON.parse(reply.body.toString()) as EventJudgement).verdict;
  };

  it('shows what scopes, grants, books and calendars cover, and says when a key has ended', async () => {
    const member = await gateway.member(workspace);
    const scopes = ['read:conversations', 'read:contacts'] as const;
    const key = await gateway.key(workspace, { scopes, grants: { [mailbox]: 'read' }, member });
    const [bookId, other] = [newId('abk'), newId('abk')];
    gateway.elsewhere.push({ type: 'book', id: bookId });
    const contact = (id: string) => ({
      ...{ type: 'contact.created', mailbox: null, data: { bookId: id } },
      resource: { type: 'contact', id: newId('ctc') },
    });
    expect(await judge(key)).toBe('shown');
    expect(await judge(key, { mailbox: 'sales@acme.test' })).toBe('hidden');
    expect(await judge(key, { type: 'task.created', mailbox: null })).toBe('hidden');
    expect(await judge(key, contact(bookId))).toBe('shown');
    expect(await judge(key, contact(other))).toBe('hidden');
    expect(await judge(key, {}, (await gateway.workspace()).id)).toBe('ended');
    await gateway.change('UPDATE keys SET revoked_at = now() WHERE id = $1', [idOfKey(key)]);
    expect(await judge(key)).toBe('ended');
    expect(await judge('pr_agent_none_x')).toBe('ended');
  });
});
