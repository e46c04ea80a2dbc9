// tags: own
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver } from '@postroom/testing';
import { inFullRun, repetitions } from '@postroom/testing/repetitions';
import { until } from '@postroom/testing/until';
import { type EventStream, EventsAgent, type Rpc, type ToldEvent } from './mcp-events-agent.js';
import { type RunningProduct } from './product.js';
import { startProduct } from './product-process.js';
import { type OwnKey, Workplace } from './workplace.js';

const kills = repetitions(20, 3);
const perRound = Math.ceil(repetitions(10_000, 300) / kills);
const events = kills * perRound;
const writers = 8;
const conversations = 40;
const name = 'conversation.commented';
const settings = { WEBHOOK_RETRY_DELAYS_MS: '0,5s,15s,30s', RATE_LIMIT_PER_MINUTE: '1000000' };
const withinMs = 600_000;

interface Page {
  readonly events: readonly ToldEvent[];
  readonly truncated: boolean;
}

const nothing: Rpc = {};

/** The events that an agent is told of, as it keeps them: the first time that each comes counts. */
class SeenEvents {
  readonly ids = new Set<string>();
  /** Events that came after a later one of the same resource. */
  readonly disordered: string[] = [];
  gaps = 0;
  private readonly last = new Map<string, number>();

  add({ eventId, data: { resource, sequence } }: ToldEvent): void {
    if (this.ids.has(eventId)) return;
    this.ids.add(eventId);
    if (sequence < (this.last.get(resource.id) ?? 0)) this.disordered.push(eventId);
    this.last.set(resource.id, sequence);
  }
}

inFullRun(describe)('SIGKILL of every process while agents are told of events', () => {
  let running: RunningProduct;
  let place: Workplace;
  let receiver: Receiver;
  let mailbox: string;
  let api: OwnKey;
  let agent: EventsAgent;
  const threads: string[] = [];
  const [polled, streamed, posted] = [new SeenEvents(), new SeenEvents(), new SeenEvents()];
  const over = new AbortController();
  const following: Promise<void>[] = [];

  beforeAll(async () => {
    receiver = await Receiver.start();
    receiver.answer = ({ body }, response) => {
      receiver.received.length = 0;
      const told = JSON.parse(body.toString()) as ToldEvent & { challenge?: string; type?: string };
      if (told.type === undefined) posted.add(told);
      response.end(JSON.stringify({ challenge: told.challenge }));
    };
    running = await startProduct(settings);
    place = await Workplace.open('acme', running.product);
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
    for (let i = 0; i < conversations; i++) threads.push((await place.receive(api, mailbox)).id);
    agent = new EventsAgent(running.product, (await place.keyFor(mailbox, { kind: 'agent' })).key);
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    const { result: begun = {} } = await agent.ask('events/poll', { name, cursor: null });
    await agent.ask('events/subscribe', {
      ...{ name, delivery: { mode: 'webhook', url: receiver.url('/agent'), secret } },
    });
    following.push(poll(begun['cursor']), follow(begun['cursor']));
  });
  afterAll(async () => {
    over.abort();
    await Promise.all(following);
    await running.remove();
    await receiver.close();
  });

  const poll = async (from: unknown): Promise<void> => {
    for (let cursor = from; !over.signal.aborted;) {
      const { result = {} } = await agent.ask('events/poll', { name, cursor }).catch(() => nothing);
      const { events: found = [], truncated = false } = result as Partial<Page>;
      for (const event of found) polled.add(event);
      polled.gaps += Number(truncated);
      cursor = result['cursor'] ?? cursor;
      if (found.length === 0) await sleep(200);
    }
  };

  /** Opens a stream again whenever it ends, with the cursor of the last frame that came. */
  const follow = async (from: unknown): Promise<void> => {
    for (let cursor = from; !over.signal.aborted; await sleep(100)) {
      const stream = await agent.stream({ name, cursor }).catch(() => null);
      if (stream) cursor = await readOff(stream, cursor);
    }
  };

  const readOff = async (stream: EventStream, from: unknown): Promise<unknown> => {
    let cursor = from;
    for (let place = 0, isOver = false; !isOver; await sleep(50)) {
      isOver = stream.isOver || over.signal.aborted;
      for (const { method, params = {} } of stream.frames.slice(place)) {
        if (method?.endsWith('/event') === true) streamed.add(params as unknown as ToldEvent);
        streamed.gaps += Number(params['truncated'] === true);
        cursor = params['cursor'] ?? cursor;
        place += 1;
      }
    }
    stream.leave();
    return cursor;
  };

  const write = async (round: number): Promise<void> => {
    let next = round * perRound;
    const client = async (): Promise<void> => {
      for (let i = next++; i < (round + 1) * perRound; i = next++) {
        const path = `/v1/conversations/${threads[i % conversations]}/comment`;
        for (let status = 0; status !== 200 && !over.signal.aborted;) {
          const answer = await api
            .post(path, { mailbox, text: `Nº ${i}` }, `events-${i}`)
            .catch(() => null);
          status = answer?.status ?? 0;
          if (status !== 200) await sleep(100);
        }
      }
    };
    await Promise.all(Array.from({ length: writers }, client));
  };

  it('misses nothing in any mode, and polls and streams the events of a resource in order', async () => {
    for (let round = 0; round < kills; round++) {
      const writing = write(round);
      await sleep(Math.random() * 3_000);
      await running.kill('services');
      await running.restart();
      await writing;
    }
    const all = [polled, streamed, posted];
    const counts = () => all.map(({ ids }) => ids.size);
    await until(() => counts().every((count) => count >= events), withinMs).catch(() => undefined);
    process.stdout.write(
      `${events} events, ${kills} kills: polled, streamed and posted ${counts().join(', ')}; ` +
        `in other places ${all.map(({ disordered }) => disordered.length).join(', ')}\n`,
    );
    expect(counts()).toEqual([events, events, events]);
    // A webhook whose first attempt was cut off comes after the next event: its attempts go on beside it.
    expect([polled.disordered, streamed.disordered]).toEqual([[], []]);
    expect([polled.gaps, streamed.gaps]).toEqual([0, 0]);
  }, 3_000_000);
});
