// tags: kafka
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver, type Received } from '@postroom/testing';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { until } from '@postroom/testing/until';
import { EventsAgent } from './mcp-events-agent.js';
import { type OwnKey, Workplace } from './workplace.js';

const name = 'conversation.received';

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

  const agentOf = (by: OwnKey) => new EventsAgent(place.product, by.key);

  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const eventsAt = (path: string): Received[] =>
    receiver.at(path).filter(({ headers }) => !String(headers['webhook-id']).startsWith('msg_'));

  it('tell of a mail by poll, by stream and by a signed webhook, and end with the key', async () => {
    const agent = agentOf(key);
    const { result: found } = await agent.ask('server/discover');
    expect(found).toMatchObject({
      capabilities: { events: {}, extensions: { 'io.modelcontextprotocol/events': {} } },
    });
    const path = `/${randomUUID()}`;
    const wanted = { name, arguments: { mailbox } };
    const delivery = { mode: 'webhook', url: receiver.url(path), secret };
    const { result: begun } = await agent.ask('events/poll', { ...wanted, cursor: null });
    const reader = await agent.stream(wanted);
    await until(() => reader.of('active').length === 1);
    const { result: subscription } = await agent.ask('events/subscribe', { ...wanted, delivery });
    const seen: string[] = [];
    let cursor = begun?.['cursor'];
    for (let mail = 0; mail < 3; mail++) {
      const { id } = await place.receive(key, mailbox);
      await until(() => reader.of('event').length > mail && eventsAt(path).length > mail);
      const streamed = reader.of('event')[mail] ?? {};
      expect(streamed).toMatchObject({ name, data: { resource: { id }, mailbox } });
      const { result: polled } = await agent.ask('events/poll', { ...wanted, cursor });
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
    const last = await agent.stream({ ...wanted, cursor: begun?.['cursor'] });
    await until(() => last.of('event').length === 3);
    expect(last.of('event').map(({ eventId }) => eventId)).toEqual(seen);
    last.leave();
    const other = agentOf(await anAgentKey());
    expect((await other.ask('events/poll', { ...wanted, cursor })).error).toMatchObject({
      code: -32602,
    });
    const ofOther = await other.ask('events/unsubscribe', { ...wanted, delivery });
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
