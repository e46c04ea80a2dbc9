import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningBroker } from '@postroom/local';
import { until } from '@postroom/testing/until';
import { BusUnavailable } from '../bus.js';
import { echo, eventOf, refusedFor, requestOf } from '../testing/messages.js';
import { Installation, noOwnBroker, ownBroker } from '../testing/kafka-world.js';
import { whereThere } from '@postroom/testing';
import type { KafkaBus } from './kafka-bus.js';

whereThere({ missing: noOwnBroker }, describe)('a broker that goes and comes', () => {
  let broker: RunningBroker;
  let remove: () => Promise<void>;
  let installation: Installation;

  beforeAll(async () => {
    ({ broker, remove } = await ownBroker());
  });
  afterAll(() => remove());
  afterEach(() => installation.close());

  it('is waited for at the start; a request in the meantime ends by its deadline', async () => {
    installation = await new Installation([broker.brokers]).create();
    await broker.stop();
    const server = await installation.bus('server');
    const caller = await installation.bus('caller');
    await server.handle('mail', echo);
    expect(caller.health()).toEqual({ ready: false, alive: true });
    const reply = caller.request('mail', requestOf({ deadlineMs: Date.now() + 1_000 }));
    await expect(reply).rejects.toMatchObject(refusedFor('deadline'));
    await broker.restart();
    const answer = await caller.request('mail', requestOf({ deadlineMs: Date.now() + 60_000 }));
    expect(answer.status).toBe(200);
    await installation.ready();
  });

  it('keeps no process from stopping that has a poison record to dead-letter', async () => {
    installation = await new Installation([broker.brokers]).create();
    const bus = await installation.bus('bus', {
      retry: { attemptsMax: 1, firstDelayMs: 1, delayMaxMs: 1 },
    });
    let fail = (): void => undefined;
    const failed = new Promise<void>((_, reject) => (fail = () => reject(new Error('poison'))));
    let tried = false;
    const stop = await bus.subscribe('ledger', ['messaging'], () => {
      tried = true;
      return failed;
    });
    await installation.ready();
    const poison = eventOf('cnv_1');
    await bus.emit([poison]);
    await until(() => tried);
    await broker.kill();
    fail();
    await stop();
    await broker.restart();
    const seen: string[] = [];
    await bus.subscribe('ledger', ['messaging'], async ({ id }) => void seen.push(id));
    await until(() => seen.includes(poison.id));
  });

  it('may be killed under load: each caller has an answer by its deadline, and all is well again', async () => {
    installation = await new Installation([broker.brokers]).create();
    const server = await installation.bus('server');
    const caller = await installation.bus('caller');
    await server.handle('mail', echo);
    const seen: string[] = [];
    await server.subscribe('ledger', ['messaging'], async ({ id }) => void seen.push(id));
    await installation.ready();
    const load = new Load(caller);
    await until(() => load.answered > 20);
    await broker.kill();
    const event = eventOf('cnv_1');
    const emitting = emitUntilStored(caller, event);
    await sleep(2_000);
    await broker.restart();
    const before = load.answered;
    await until(() => load.answered > before + 20);
    await load.stop();
    expect(load.overtime).toBe(0);
    // A request that was being written when the broker died may be refused before its deadline.
    const allowed: unknown[] = ['deadline', 'no-broker'];
    expect(load.failures.filter((reason) => !allowed.includes(reason))).toEqual([]);
    await emitting;
    await until(() => seen.includes(event.id));
    await installation.ready();
    for (const bus of [server, caller]) expect(bus.health().alive).toBe(true);
  });
});

/** Emits as a relay does: the outbox keeps the event until the bus has it. */
async function emitUntilStored(bus: KafkaBus, event: ReturnType<typeof eventOf>): Promise<void> {
  for (;;) {
    const { failure } = await bus.emit([event]);
    if (!failure) return;
    await sleep(200);
  }
}

/** Far below the twelve seconds that a write may take: the deadline ended the wait, not that. */
const graceMs = 5_000;

/** Fifty requests a second, of reads and writes, with two seconds each. */
class Load {
  answered = 0;
  /** Answers that came when their caller should long have had one. */
  overtime = 0;
  readonly failures: unknown[] = [];
  private readonly requests: Promise<void>[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly bus: KafkaBus) {
    this.timer = setInterval(() => this.requests.push(this.ask()), 20);
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.requests);
  }

  private async ask(): Promise<void> {
    const deadlineMs = Date.now() + 2_000;
    const orderKey = this.requests.length % 2 === 0 ? null : `tnt_1/${this.requests.length % 7}`;
    try {
      await this.bus.request('mail', requestOf({ deadlineMs, orderKey }));
      this.answered += 1;
    } catch (error) {
      this.failures.push(error instanceof BusUnavailable ? error.reason : error);
    }
    if (Date.now() > deadlineMs + graceMs) this.overtime += 1;
  }
}
