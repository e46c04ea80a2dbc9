import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callerKey, type CallerKey } from '@postroom/access';
import {
  InProcessBus,
  type Bus,
  type ReplyEnvelope,
  type RequestEnvelope,
  type RequestOptions,
} from '@postroom/bus';
import {
  conversations,
  recordOf,
  sends,
  sendSwitch,
  serviceNames,
  type Operation,
  type ServiceName,
} from '@postroom/contracts';
import { OperationClient } from './operation-client.js';
import { commentAnd, commentInput, keyCaller, Ledger, nothing } from './testing/ledger.js';

let ledger: Ledger;
beforeAll(async () => {
  ledger = await Ledger.open();
});
afterAll(() => ledger.close());

/** One key for all services. */
const everywhere = (key: CallerKey) => recordOf(serviceNames, () => key);

/** A client of the ledger as the mail service, and the requests that it made. */
async function serve(mailKey = ledger.callerKey) {
  const bus = new InProcessBus();
  const requests: RequestEnvelope[] = [];
  await bus.handle('mail', (request) => {
    requests.push(request);
    return ledger.engine.handleRequest(request, commentAnd());
  });
  const client = new OperationClient(bus, {
    ...everywhere(callerKey(randomBytes(32))),
    mail: mailKey,
  });
  return { bus, client, requests };
}

const options = { requestId: 'http-1' };

describe('the client of operations', () => {
  it('signs what the engine verifies, and brings its reply back', async () => {
    const { client, requests } = await serve();
    const caller = keyCaller({ name: 'clé “é” 🙂' });
    const input = commentInput({ text: 'été 🙂 "quoted"' });
    const answer = await client.call(conversations.comment, caller, input, options);
    expect(answer).toMatchObject({ status: 200, problem: null });
    expect(JSON.parse(answer.body.toString())).toMatchObject({ result: { text: input.text } });
    expect(await ledger.holdings(caller.tenantId)).toMatchObject({ effects: 1, audits: 1 });
    expect(requests[0]).toMatchObject({
      operation: 'conversations.comment',
      idempotencyKey: null,
      preview: false,
      requestId: 'http-1',
      traceparent: null,
    });
  });

  it('orders the writes of a resource, and neither reads nor sends', async () => {
    const bus = new InProcessBus();
    const requests: RequestEnvelope[] = [];
    await bus.handle('mail', async (request) => {
      requests.push(request);
      return { id: request.id, status: 200, headers: {}, problem: null, body: Buffer.from('{}') };
    });
    const { callerKey: mail } = ledger;
    const client = new OperationClient(bus, everywhere(mail));
    const caller = keyCaller();
    const input = commentInput();
    await client.call(conversations.comment, caller, input, options);
    await client.call(conversations.get, caller, input, options);
    await client.call(sends.reply, caller, input, options);
    const keys = requests.map(({ orderKey }) => orderKey);
    expect(keys).toEqual([`${caller.tenantId}/${input.id}`, null, null]);
  });

  it('passes on the key, the trace and whether it is a preview', async () => {
    const { client, requests } = await serve();
    const caller = keyCaller();
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await client.call(conversations.comment, caller, commentInput(), {
      ...options,
      idempotencyKey: 'a key of mine',
      traceparent,
      preview: true,
    });
    expect(requests[0]).toMatchObject({
      idempotencyKey: 'a key of mine',
      traceparent,
      preview: true,
    });
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
  });

  it('gives each call a message id of its own, and 10 s', async () => {
    const { client, requests } = await serve();
    const before = Date.now();
    await client.call(conversations.comment, keyCaller(), commentInput(), options);
    await client.call(conversations.comment, keyCaller(), commentInput(), options);
    expect(requests[0]?.id).not.toBe(requests[1]?.id);
    const askedMs = (requests[0]?.deadlineMs ?? 0) - 10_000;
    expect(askedMs).toBeGreaterThanOrEqual(before);
    expect(askedMs).toBeLessThanOrEqual(Date.now());
  });

  it('signs for one service: another one takes it for forged', async () => {
    const { client } = await serve(callerKey(randomBytes(32)));
    const caller = keyCaller();
    const answer = await client.call(conversations.comment, caller, commentInput(), options);
    expect(answer).toMatchObject({ status: 500, problem: 'INTERNAL' });
    expect(await ledger.holdings(caller.tenantId)).toEqual(nothing);
    expect(ledger.logged()).toHaveLength(1);
  });

  it('takes as the reply only what the engine has signed, every part of it', async () => {
    const asked: { request: RequestEnvelope; options: RequestOptions }[] = [];
    class ToldBus extends InProcessBus {
      override request(
        service: ServiceName,
        request: RequestEnvelope,
        given: RequestOptions = {},
      ): Promise<ReplyEnvelope> {
        asked.push({ request, options: given });
        return super.request(service, request);
      }
    }
    const bus = new ToldBus();
    await bus.handle('mail', (request) => ledger.engine.handleRequest(request, commentAnd()));
    const client = new OperationClient(bus, everywhere(ledger.callerKey));
    const reply = await client.call(conversations.comment, keyCaller(), commentInput(), options);
    const [call] = asked;
    if (!call) throw new Error('nothing was asked');
    const isSigned = (other: ReplyEnvelope) => call.options.isSigned?.(other);
    const signed = { ...reply, signature: ledger.engine.sign(call.request, reply) };
    expect(isSigned(signed)).toBe(true);
    expect(isSigned(reply)).toBe(false);
    const changes: Partial<ReplyEnvelope>[] = [
      { id: 'req_another' },
      { status: 500 },
      { headers: { 'set-cookie': 'session=mine' } },
      { problem: 'INTERNAL' },
      { body: Buffer.from('{}') },
      { bodyRef: 'a-body-of-mine', bodyBytes: 2 },
    ];
    for (const change of changes) expect(isSigned({ ...signed, ...change })).toBe(false);
  });

  it('calls the service that owns the operation', async () => {
    const { client } = await serve();
    const nobody = client.call(sendSwitch.get, keyCaller(), {}, options);
    await expect(nobody).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });

  it.each(['no-service', 'closed'])(
    'refuses as "not now" what the bus cannot bring: %s',
    async (reason) => {
      const { bus, client } = await serve();
      const silent = new OperationClient(new InProcessBus(), everywhere(ledger.callerKey));
      if (reason === 'closed') await bus.close();
      const call = (reason === 'closed' ? client : silent).call(
        conversations.comment,
        keyCaller(),
        commentInput(),
        options,
      );
      await expect(call).rejects.toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        cause: { name: 'BusUnavailable', reason },
      });
    },
  );

  it('says of a send without a reply that its outcome is unknown, unless it cannot have begun', async () => {
    const bus = new InProcessBus();
    const client = new OperationClient(bus, everywhere(ledger.callerKey));
    const call = (): Promise<unknown> =>
      client
        .call(sends.create, keyCaller(), commentInput(), { ...options, timeoutMs: 50 })
        .catch((error: unknown) => error);
    expect(await call()).toMatchObject({ code: 'SERVICE_UNAVAILABLE', fields: {} });
    await bus.handle('mail', () => new Promise(() => undefined));
    expect(await call()).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      fields: { outcomeUnknown: true },
    });
  });

  // The limits operations.calls and operations.longCalls.
  it('lets a workspace have half of the places, and gives what may take long places of its own', async () => {
    const bus = new InProcessBus();
    const [slow, other] = [keyCaller(), keyCaller()];
    await bus.handle('mail', async ({ id, operation, caller }) => {
      const isHeld = operation === sends.create.id && caller.includes(slow.tenantId);
      if (isHeld) await new Promise(() => undefined);
      return { id, status: 200, headers: {}, problem: null, body: Buffer.from('{}') };
    });
    const client = new OperationClient(bus, everywhere(ledger.callerKey));
    const ask = (operation: Operation, caller = slow) =>
      client.call(operation, caller, commentInput(), { ...options, timeoutMs: 1_000 });
    const held = Array.from({ length: 500 }, () => ask(sends.create));
    for (const each of held) each.catch(() => undefined);
    await expect(ask(sends.create)).rejects.toMatchObject({
      ...{ code: 'SERVICE_UNAVAILABLE', fields: {} },
      cause: { by: 'workspace' },
    });
    const answered = [ask(sends.create, other), ask(conversations.get), ask(conversations.comment)];
    for (const { status } of await Promise.all(answered)) expect(status).toBe(200);
    const outcomes = await Promise.allSettled(held);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect((await ask(sends.create, other)).status).toBe(200);
  });

  it('asks for nothing more once it has given up', async () => {
    const bus = new InProcessBus();
    let asked = 0;
    await bus.handle('mail', () => {
      asked += 1;
      return new Promise(() => undefined);
    });
    const client = new OperationClient(bus, everywhere(ledger.callerKey));
    const send = (timeoutMs = 2_000): Promise<unknown> =>
      client.call(sends.create, keyCaller(), commentInput(), { ...options, timeoutMs });
    await expect(send(20)).rejects.toThrow();
    const underWay = [send(), send()];
    client.giveUp();
    for (const call of underWay) {
      await expect(call).rejects.toMatchObject({ fields: { outcomeUnknown: true } });
    }
    await expect(send()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', fields: {} });
    expect(asked).toBe(3);
  });

  it('throws as it came what is no trouble of the bus', async () => {
    const broken = new TypeError('broken');
    const bus: Bus = {
      replyTo: null,
      replyBodyMax: Infinity,
      request: () => Promise.reject(broken),
      handle: () => Promise.reject(broken),
      emit: () => Promise.reject(broken),
      subscribe: () => Promise.reject(broken),
      close: () => Promise.resolve(),
    };
    const client = new OperationClient(bus, everywhere(ledger.callerKey));
    const call = client.call(conversations.comment, keyCaller(), commentInput(), options);
    await expect(call).rejects.toBe(broken);
  });
});
