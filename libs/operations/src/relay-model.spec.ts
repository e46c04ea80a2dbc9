import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { BusUnavailable, type EmitResult, type EventRecord } from '@postroom/bus';
import { newId } from '@postroom/contracts';
import { repetitions } from '@postroom/testing/repetitions';
import { until } from '@postroom/testing/until';
import { leaseBatch } from './outbox-shards.js';
import { consumeOnce } from './inbox.js';
import { bump, Ledger } from './testing/ledger.js';
import { Replica, waiting } from './testing/outbox.js';
import { PaperBus } from './testing/paper-bus.js';

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A bus that takes a part of a batch, says so or fails all the same, fails before or after all of it, or is slow. */
class UnsteadyBus {
  readonly paper = new PaperBus();

  constructor(private readonly chance: () => number) {}

  async emit(events: readonly EventRecord[]): Promise<EmitResult> {
    const fate = this.chance();
    if (fate < 0.1) throw new BusUnavailable('closed');
    if (this.chance() < 0.05) await sleep(this.chance() * 150);
    if (fate >= 0.3) return this.paper.emit(events);
    const taken = Math.floor(this.chance() * (events.length + 1));
    const { stored } = await this.paper.emit(events.slice(0, taken));
    if (fate < 0.2) return { stored, failure: new BusUnavailable('no-broker') };
    throw new BusUnavailable('deadline');
  }
}

/** Events of each of two writers of four workspaces. */
const toldEach = repetitions(250, 60);
const events = 8 * toldEach;

describe('events through an unsteady world', () => {
  let ledger: Ledger;
  beforeAll(async () => {
    ledger = await Ledger.open();
  });
  afterAll(() => ledger.close());

  it.each([1, 2, 3])(
    'are each consumed once by effect and in order, of many (seed %i)',
    async (seed) => {
      const chance = random(seed);
      const bus = new UnsteadyBus(chance);
      const tenants = Array.from({ length: 4 }, () => newId('ten'));
      const resources = Array.from({ length: 10 }, (_, at) => `cnv_${at}`);
      const writer = await Replica.open(ledger);
      const replicas = await Promise.all([1, 2, 3].map(() => Replica.open(ledger)));
      const times = { leaseMs: 100, pollMs: 20, backoffMaxMs: 20 };
      let writing = true;

      /** A relay that is stopped and started again, or dies with a batch. */
      const live = async (replica: Replica): Promise<void> => {
        while (writing) {
          const relay = replica.relay(bus, times);
          await sleep(chance() * 200);
          await relay.stop();
          if (chance() < 0.3) await leaseBatch(replica.database, 'dead', times.leaseMs);
        }
        replica.relay(bus, times);
      };
      const lives = replicas.map(live);
      // Two writers a tenant, one or two events a commit.
      await Promise.all(
        [...tenants, ...tenants].map(async (tenant, nth) => {
          const next = random(seed * 100 + nth);
          const pick = () => resources[Math.floor(next() * resources.length)] ?? 'cnv_0';
          for (let told = 0; told < toldEach;) {
            const pair = told % 4 === 0 ? ['cnv_0', 'cnv_9'] : [pick()];
            await writer.tell(tenant, ...pair);
            told += pair.length;
          }
        }),
      );
      writing = false;
      await Promise.all(lives);
      await until(async () => (await waiting(ledger)) === 0);
      await Promise.all([writer, ...replicas].map((replica) => replica.close()));

      const { taken } = bus.paper;
      expect(new Set(taken.map(({ id }) => id)).size).toBe(events);
      for (const sequences of bus.paper.sequences().values()) {
        expect(sequences).toEqual(sequences.map((_, at) => at + 1));
      }
      const distinct = await consumeAll(taken);
      expect(distinct).toBe(events);
    },
  );

  /** Consumes everything the bus took, duplicates too. @returns the effects */
  async function consumeAll(taken: readonly EventRecord[]): Promise<number> {
    let effects = 0;
    const consumer = newId('req');
    const rest = [...taken];
    const worker = async (): Promise<void> => {
      for (let event = rest.shift(); event; event = rest.shift()) {
        const done = await consumeOnce(ledger.database, consumer, event, async (consuming) => {
          await bump(consuming, consumer);
        });
        if (done) effects += 1;
      }
    };
    await Promise.all([1, 2, 3, 4].map(worker));
    const [row] = await ledger.sql<{ sum: number }>(
      'SELECT sum(value)::int AS sum FROM counters WHERE id = $1',
      [consumer],
    );
    expect(row?.sum).toBe(effects);
    return effects;
  }
});
