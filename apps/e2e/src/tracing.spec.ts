// tags: own
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver, ScriptedSmtp } from '@postroom/testing';
import { Collector, type CollectedSpan } from '@postroom/tracing/testing';
import { until } from '@postroom/testing/until';
import { topology } from './config.js';
import { send } from './http.js';
import type { RunningProduct } from './product.js';
import { startProduct } from './product-process.js';
import { aMessage, mailboxBehind, sendMessage, senderFor } from './sending.js';
import type { ConversationItem } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const planted = randomBytes(8).toString('hex');

/** The spans of one trace. */
class Trace {
  constructor(private readonly spans: readonly CollectedSpan[]) {}

  has(name: string): boolean {
    return this.spans.some((span) => span.name === name);
  }

  get(name: string): CollectedSpan {
    const found = this.spans.find((span) => span.name === name);
    if (!found) throw new Error(`no span ${name}`);
    return found;
  }

  /** The names from a span up to the one that the client's is the parent of. */
  pathOf(span: CollectedSpan): string[] {
    const parent = this.spans.find(({ spanId }) => spanId === span.parentSpanId);
    return [span.name, ...(parent ? this.pathOf(parent) : [])];
  }
}

describe('the trace of a request', () => {
  let collector: Collector;
  let receiver: Receiver;
  let smtp: ScriptedSmtp;
  let running: RunningProduct;
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;
  let conversation: ConversationItem;

  beforeAll(async () => {
    [collector, receiver] = await Promise.all([Collector.start(), Receiver.start()]);
    smtp = await ScriptedSmtp.listen();
    running = await startProduct({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
    place = await Workplace.open('acme', running.product);
    mailbox = await mailboxBehind(place, smtp);
    api = await senderFor(place, mailbox);
    const from = { name: planted, address: `${planted}@correspondent.example` };
    conversation = await place.receive(api, mailbox, { from, subject: `Question ${planted}` });
    const url = receiver.url(`/${planted}`);
    await place.settings.post('/webhooks', { url, events: ['conversation.commented'] });
  });
  afterAll(async () => {
    await running.remove();
    await Promise.all([collector.close(), receiver.close(), smtp.close()]);
  });

  const aTrace = (flags: string) => {
    const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
    return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` };
  };
  const post = (path: string, body: object, traceparent: string) =>
    send(`${running.product.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'X-Api-Key': api.key,
        'Content-Type': 'application/json',
        'Idempotency-Key': randomUUID(),
        traceparent,
      },
      body: JSON.stringify(body),
    });
  /** A trace, once these spans of it have been sent: each process sends its own. */
  const traceWith = async (traceId: string, ...names: readonly string[]): Promise<Trace> => {
    await until(() => names.every((name) => new Trace(collector.of(traceId)).has(name)));
    return new Trace(collector.of(traceId));
  };

  it('goes from the client through the bus, the outbox and the dispatcher to the receiver', async () => {
    // The client's decision against it does not count.
    const { traceId, spanId, traceparent } = aTrace('00');
    const route = `/v1/conversations/${conversation.id}/comment`;
    const answer = await post(route, { mailbox, text: `Said ${planted}` }, traceparent);
    expect(answer.status).toBe(200);
    const path = [
      'webhook POST',
      'webhooks conversation.commented',
      'publish conversation.commented',
      'transaction',
      'handle conversations.comment',
      'request conversations.comment',
      'POST /public/v1/conversations/:id/comment',
    ];
    const trace = await traceWith(traceId, 'operations.record_change', ...path);
    const asked = path.slice(3);
    expect(trace.pathOf(trace.get('webhook POST'))).toEqual(path);
    expect(trace.pathOf(trace.get('operations.record_change')).slice(1)).toEqual(asked);
    expect(trace.get(path.at(-1) ?? '').parentSpanId).toBe(spanId);
    await until(() => receiver.at(`/${planted}`).length > 0);
    const [delivered] = receiver.at(`/${planted}`);
    const told = `00-${traceId}-${trace.get('webhook POST').spanId}-01`;
    expect(delivered?.headers['traceparent']).toBe(told);
    const requestId = answer.headers['x-request-id'];
    for (const name of asked.filter((one) => one !== 'transaction'))
      expect(trace.get(name).attributes['postroom.request_id']).toBe(requestId);
  });

  it('has the dial-out to the mail server', async () => {
    const { traceId, traceparent } = aTrace('01');
    const answer = await post('/v1/send', aMessage(mailbox, { body: planted }), traceparent);
    expect(answer.status).toBe(200);
    const trace = await traceWith(traceId, 'SMTP message', 'POST /public/v1/send');
    expect(trace.pathOf(trace.get('SMTP message')).slice(1)).toEqual([
      'handle sends.create',
      'request sends.create',
      'POST /public/v1/send',
    ]);
  });

  it('has a span of each process that took part', async () => {
    const services = new Set(collector.spans.map(({ service }) => service));
    const apart = ['gateway', 'mail', 'webhook-dispatcher'].map((app) => `postroom-${app}`);
    expect([...services]).toEqual(
      expect.arrayContaining(topology() === 'cluster' ? apart : ['postroom']),
    );
  });

  it('holds nothing that a person wrote, no address and no secret', async () => {
    const refused = await sendMessage(api, aMessage(`${planted}@acme.test`));
    expect(refused.status).toBeGreaterThanOrEqual(400);
    await api.get('/v1/conversations', { mailbox, q: planted });
    const { traceId, traceparent } = aTrace('01');
    await post(
      '/v1/send',
      aMessage(mailbox, { to: `${planted}@correspondent.example` }),
      traceparent,
    );
    await traceWith(traceId, 'handle sends.create', 'POST /public/v1/send');
    const all = collector.bodies.join('\n');
    for (const text of [planted, mailbox, api.key, place.tenant.admin.email, 'correspondent'])
      expect(all).not.toContain(text);
  });
});
