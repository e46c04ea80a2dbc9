import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ServiceName } from '@postroom/contracts';
import { ByReferenceBus, byReferenceOverBytes } from './by-reference.js';
import type { BodyStore } from './stored-bodies.js';
import type { RequestHandler } from './bus.js';
import type { ReplyEnvelope, RequestEnvelope } from './envelope.js';
import { InProcessBus } from './in-process-bus.js';
import { refusedFor, requestOf } from './testing/messages.js';

/** The port of the store, in memory; PostgreSQL's own is tried where it lives. */
class ShelfOfBlobs implements BodyStore {
  readonly blobs = new Map<string, Buffer>();
  down = false;
  /** Takes and gives nothing, and does not say so. */
  hangs = false;
  private puts = 0;

  put(tenantId: string, bytes: Uint8Array): Promise<string> {
    if (this.down) return Promise.reject(new Error('no database'));
    if (this.hangs) return new Promise(() => undefined);
    const reference = `ref-${(this.puts += 1)}`;
    this.blobs.set(`${tenantId} ${reference}`, Buffer.from(bytes));
    return Promise.resolve(reference);
  }
  get(tenantId: string, reference: string): Promise<Buffer | null> {
    if (this.down) return Promise.reject(new Error('no database'));
    return Promise.resolve(this.blobs.get(`${tenantId} ${reference}`) ?? null);
  }
  drop(tenantId: string, reference: string): Promise<void> {
    this.blobs.delete(`${tenantId} ${reference}`);
    return Promise.resolve();
  }
}

/** Remembers what it carried, and carries no more than a bus between processes. */
class WatchedBus extends InProcessBus {
  override replyBodyMax = byReferenceOverBytes;
  readonly carried: (RequestEnvelope | ReplyEnvelope)[] = [];

  override async request(service: ServiceName, request: RequestEnvelope): Promise<ReplyEnvelope> {
    this.carried.push(request);
    const reply = await super.request(service, request);
    this.carried.push(reply);
    return reply;
  }
}

const request = (input: Buffer, tenantId = 'ten_a'): RequestEnvelope =>
  requestOf({ id: 'req_1', caller: JSON.stringify({ tenantId }), input });

const echo: RequestHandler = ({ id, input }) =>
  Promise.resolve({ id, status: 200, headers: { etag: '1' }, problem: null, body: input });

describe('a bus of large bodies', () => {
  let store: ShelfOfBlobs;
  let wire: WatchedBus;
  let bus: ByReferenceBus;
  const logged: string[] = [];
  const say = (_fields: object, message: string): void => {
    logged.push(message);
  };

  beforeEach(() => {
    logged.length = 0;
    store = new ShelfOfBlobs();
    wire = new WatchedBus();
    bus = new ByReferenceBus(wire, store, { debug: say, info: say, warn: say, error: say });
  });

  it.each([
    [0, 0],
    [byReferenceOverBytes, 0],
    [byReferenceOverBytes + 1, 2],
    [5_000_000, 2],
  ])('brings %i bytes there and back, by reference %i times', async (size, references) => {
    await bus.handle('mail', echo);
    const input = Buffer.alloc(size, 'é');
    const reply = await bus.request('mail', request(input));
    const { body, ...rest } = reply;
    expect(rest).toEqual({ id: 'req_1', status: 200, headers: { etag: '1' }, problem: null });
    expect(body.equals(input)).toBe(true);
    const [there, back] = wire.carried as [RequestEnvelope, ReplyEnvelope];
    expect([there.inputRef, back.bodyRef].filter(Boolean)).toHaveLength(references);
    expect(there.input.length).toBeLessThanOrEqual(byReferenceOverBytes);
    expect(back.body.length).toBeLessThanOrEqual(byReferenceOverBytes);
    expect(store.blobs.size).toBe(0);
  });

  it('brings what its envelope may carry back without the store', async () => {
    ({ replyBodyMax: wire.replyBodyMax } = new InProcessBus());
    for (const [size, isCarried] of [
      [wire.replyBodyMax, true],
      [wire.replyBodyMax + 1, false],
    ] as const) {
      const unserve = await bus.handle('mail', (given) =>
        echo({ ...given, input: Buffer.alloc(size, 'é') }),
      );
      const reply = await bus.request('mail', request(Buffer.alloc(0)));
      expect(reply.body.equals(Buffer.alloc(size, 'é'))).toBe(true);
      expect((wire.carried.pop() as ReplyEnvelope).bodyRef === undefined).toBe(isCarried);
      expect(store.blobs.size).toBe(0);
      await unserve();
    }
  });

  it('leaves a large success in the store for who asks so, with its length, and no refusal', async () => {
    await bus.handle('mail', echo);
    const input = Buffer.alloc(300_000, 'é');
    const reply = await bus.request('mail', request(input), { leavesLargeBody: true });
    expect(reply).toMatchObject({ bodyBytes: 300_000, body: Buffer.alloc(0) });
    expect((await store.get('ten_a', reply.bodyRef ?? ''))?.equals(input)).toBe(true);
    const small = await bus.request('mail', request(Buffer.from('{}')), { leavesLargeBody: true });
    expect([small.bodyRef, small.body.toString()]).toEqual([undefined, '{}']);
    await bus.handle('access', async (given) => ({ ...(await echo(given)), problem: 'INTERNAL' }));
    const refused = await bus.request('access', request(input), { leavesLargeBody: true });
    expect(refused.body.equals(input)).toBe(true);
  });

  it('drops the input of a request that gets no reply', async () => {
    const large = request(Buffer.alloc(byReferenceOverBytes + 1));
    await expect(bus.request('mail', large)).rejects.toMatchObject({ reason: 'no-service' });
    expect(store.blobs.size).toBe(0);
  });

  it('finds the input again when the request is delivered twice', async () => {
    const inputs: number[] = [];
    await bus.handle('mail', (given) => {
      inputs.push(given.input.length);
      return echo({ ...given, input: Buffer.alloc(0) });
    });
    const inputRef = await store.put('ten_a', Buffer.alloc(300_000));
    const delivered = { ...request(Buffer.alloc(0)), inputRef };
    await wire.request('mail', delivered);
    await wire.request('mail', delivered);
    expect(inputs).toEqual([300_000, 300_000]);
  });

  it('answers 503, and runs nothing, for an input that is gone or another workspace’s', async () => {
    let runs = 0;
    await bus.handle('mail', (given) => {
      runs += 1;
      return echo(given);
    });
    const inputRef = await store.put('ten_b', Buffer.from('theirs'));
    for (const reference of [inputRef, 'gone']) {
      const reply = await wire.request('mail', {
        ...request(Buffer.alloc(0)),
        inputRef: reference,
      });
      expect(reply).toMatchObject({ status: 503, problem: 'SERVICE_UNAVAILABLE' });
    }
    expect(runs).toBe(0);
    expect(logged).toHaveLength(2);
  });

  it('is unavailable for large bodies alone while the store is down', async () => {
    await bus.handle('mail', echo);
    store.down = true;
    const large = request(Buffer.alloc(byReferenceOverBytes + 1));
    await expect(bus.request('mail', large)).rejects.toMatchObject({ reason: 'no-body' });
    expect((await bus.request('mail', request(Buffer.from('{}')))).status).toBe(200);
  });

  it('ends a large request at its deadline though the store hangs, and takes a bounded number', async () => {
    await bus.handle('mail', echo);
    store.hangs = true;
    const large = { ...request(Buffer.alloc(byReferenceOverBytes + 1)) };
    // A workspace has half of the places at most.
    const late = Array.from({ length: 50 }, () =>
      bus.request('mail', { ...large, deadlineMs: Date.now() + 100 }),
    );
    await expect(bus.request('mail', large)).rejects.toMatchObject(refusedFor('overloaded'));
    expect((await bus.request('mail', request(Buffer.from('{}')))).status).toBe(200);
    for (const each of await Promise.allSettled(late)) {
      expect(each).toMatchObject({ reason: refusedFor('deadline') });
    }
    store.hangs = false;
    expect((await bus.request('mail', large)).status).toBe(200);
  });

  it('answers 503 when a large answer cannot be put away', async () => {
    await bus.handle('mail', (given) => echo({ ...given, input: Buffer.alloc(1_000_000) }));
    store.down = true;
    const reply = await bus.request('mail', request(Buffer.from('{}')));
    expect(reply).toMatchObject({ status: 503, problem: 'SERVICE_UNAVAILABLE' });
  });
});
