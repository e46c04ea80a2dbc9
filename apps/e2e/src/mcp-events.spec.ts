import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver, type Received } from '@postroom/testing';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { type Answer, send } from './http.js';
import { until } from './until.js';
import { type OwnKey, Workplace } from './workplace.js';

type Json = Readonly<Record<string, unknown>>;

interface Rpc {
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: Json;
}

const name = 'conversation.received';
const revision = '2026-07-28';

describe('events of MCP', () => {
  let place: Workplace;
  let mailbox: string;
  let key: OwnKey;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await Receiver.start();
    receiver.answer = ({ body }, response) => {
      const { challenge } = JSON.parse(body.toString()) as { challenge?: string };
      response.end(JSON.stringify({ challenge }));
    };
    place = await Workplace.open('acme');
    mailbox = await place.mailbox();
    key = await anAgentKey();
  });
  afterAll(() => receiver.close());

  const anAgentKey = () =>
    place.keyFor(mailbox, {
      ...{ kind: 'agent', approval: 'required', scopes: ['read:conversations'] },
    });

  const requestOf = (method: string, params: Json, { key: secret }: OwnKey) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    return {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      headers: {
        ...{ 'X-Api-Key': secret, 'Content-Type': 'application/json', 'Mcp-Method': method },
        ...{ 'MCP-Protocol-Version': revision, Accept: 'application/json, text/event-stream' },
      },
    };
  };
  const url = () => `${place.product.baseUrl}/mcp/latest`;
  const ask = async (method: string, params: Json = {}, by = key): Promise<Rpc> => {
    const answer: Answer = await send(url(), requestOf(method, params, by));
    expect(answer.status).toBe(200);
    return JSON.parse(answer.text) as Rpc;
  };

  /** The frames of a stream, until it ends or is left. */
  class Reader {
    readonly frames: Rpc[] = [];
    isOver = false;
    private readonly leaving = new AbortController();

    async open(params: Json, by: OwnKey): Promise<this> {
      const { signal } = this.leaving;
      const answer = await fetch(url(), { ...requestOf('events/stream', params, by), signal });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
      void this.read(answer).catch(() => undefined);
      return this;
    }

    leave(): void {
      this.leaving.abort();
    }

    private async read({ body }: Response): Promise<void> {
      let text = '';
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk).toString();
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts) this.frames.push(JSON.parse(part.slice(6)) as Rpc);
      }
      this.isOver = true;
    }

    of(kind: string): Json[] {
      const found = this.frames.filter(({ method }) => method === `notifications/events/${kind}`);
      return found.map(({ params = {} }) => params);
    }
  }

  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const eventsAt = (path: string): Received[] =>
    receiver.at(path).filter(({ headers }) => !String(headers['webhook-id']).startsWith('msg_'));

  it('tell of a mail by poll, by stream and by a signed webhook, and end with the key', async () => {
    const { result: found } = await ask('server/discover');
    expect(found).toMatchObject({
      capabilities: { events: {}, extensions: { 'io.modelcontextprotocol/events': {} } },
    });
    const path = `/${randomUUID()}`;
    const wanted = { name, arguments: { mailbox } };
    const delivery = { mode: 'webhook', url: receiver.url(path), secret };
    const { result: begun } = await ask('events/poll', { ...wanted, cursor: null });
    const reader = await new Reader().open(wanted, key);
    await until(() => reader.of('active').length === 1);
    const { result: subscription } = await ask('events/subscribe', { ...wanted, delivery });
    const seen: string[] = [];
    let cursor = begun?.['cursor'];
    for (let mail = 0; mail < 3; mail++) {
      const { id } = await place.receive(key, mailbox);
      await until(() => reader.of('event').length > mail && eventsAt(path).length > mail);
      const streamed = reader.of('event')[mail] ?? {};
      expect(streamed).toMatchObject({ name, data: { resource: { id }, mailbox } });
      const { result: polled } = await ask('events/poll', { ...wanted, cursor });
      const { _meta, cursor: _, ...event } = streamed;
      expect(polled).toMatchObject({ events: [event], truncated: false, hasMore: false });
      const posted = eventsAt(path)[mail];
      if (!posted) throw new Error('nothing was posted');
      const headers = posted.headers as Record<string, string>;
      expect(new StandardWebhook(secret).verify(posted.body.toString(), headers)).toMatchObject(
        event,
      );
      expect([headers['webhook-id'], headers['x-mcp-subscription-id']]).toEqual([
        event['eventId'],
        subscription?.['id'],
      ]);
      seen.push(String(event['eventId']));
      cursor = polled?.['cursor'];
    }
    expect(new Set(seen).size).toBe(3);
    const last = await new Reader().open({ ...wanted, cursor: begun?.['cursor'] }, key);
    await until(() => last.of('event').length === 3);
    expect(last.of('event').map(({ eventId }) => eventId)).toEqual(seen);
    last.leave();
    const other = await anAgentKey();
    expect((await ask('events/poll', { ...wanted, cursor }, other)).error).toMatchObject({
      code: -32602,
    });
    const ofOther = await ask('events/unsubscribe', { ...wanted, delivery }, other);
    expect(ofOther.error).toMatchObject({ code: -32023 });
    const { status } = await place.settings.delete(`/keys/${key.id}`);
    expect(status).toBe(200);
    await place.receive(await place.keyFor(mailbox), mailbox);
    await until(() => reader.isOver);
    expect(reader.of('terminated')).toMatchObject([{ error: { code: -32024 } }]);
    expect(reader.of('event')).toHaveLength(3);
    await until(() => receiver.at(path).some(({ body }) => body.includes('"terminated"')));
    expect(eventsAt(path)).toHaveLength(3);
  });
});
