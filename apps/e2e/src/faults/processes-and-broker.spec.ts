// tags: faults, own
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaBus } from '@postroom/bus';
import { brokerMissing } from '@postroom/local';
import { whereThere } from '@postroom/testing';
import { kafkaBrokers } from '../config.js';
import { counts, requestsPerSecond } from './config.js';
import { consumeInto, Inbox } from './inbox.js';
import { type LoadRequest, Load, type Write } from './load.js';
import { firstOfTheHeldUp, longestWait, tallyOf } from './tally.js';
import { World } from './world.js';
import { commentsByText, insist } from './writes.js';

const missing = kafkaBrokers() === undefined ? brokerMissing() : null;
const isOurs = kafkaBrokers() === undefined;
const onOwnBroker = whereThere(
  { missing: isOurs ? null : 'the broker of KAFKA_BROKERS is not killed' },
  it,
);

const sessionTimeoutMs = 6_000;
/** The time to rebalance and to answer, on a busy machine. */
const marginMs = 1_500;
const backWithinMs = 2_000;
const quietMs = 1_000;
const consumedWithinMs = 30_000;
const minutesMax = 20;
const outputShown = 4_000;

const say = (what: string, figures: object): void => {
  process.stdout.write(`faults: ${what}: ${JSON.stringify(figures)}\n`);
};

const spread = (all: readonly number[]) => {
  const sorted = all.toSorted((a, b) => a - b);
  return { median: sorted[Math.floor((sorted.length - 1) / 2)], worst: sorted.at(-1) };
};

whereThere({ missing }, describe)('the cluster under faults', () => {
  let world: World;
  let consumer: KafkaBus;
  let closed = false;
  const inbox = new Inbox();
  const everything: LoadRequest[] = [];

  /** Runs a phase under load, with a moment without faults before and after. */
  const underLoad = async (
    faults: (load: Load) => Promise<void>,
  ): Promise<readonly LoadRequest[]> => {
    const load = new Load(world, requestsPerSecond);
    try {
      await sleep(quietMs);
      await faults(load);
      await sleep(quietMs);
    } finally {
      everything.push(...(await load.stop()));
    }
    return load.ended;
  };

  beforeAll(async () => {
    world = await World.open();
    consumer = await consumeInto(inbox, world.kafka, '1');
  });

  afterAll(async () => {
    if (closed) return;
    process.stdout.write(world.output().slice(-outputShown));
    await consumer.close();
    await world.close();
  });

  it(
    'loses no reply while replicas leave and join',
    async () => {
      const worst: number[] = [];
      const asked = await underLoad(async (load) => {
        for (let i = 0; i < counts.restarts; i += 1) {
          const second = await consumeInto(inbox, world.kafka, '2');
          const sentMs = await world.replace(`mail-${1 + (i % 2)}`, 'SIGTERM');
          await second.close();
          await sleep(quietMs);
          worst.push(longestWait(sentMs, performance.now(), load.ended));
        }
      });
      const tally = tallyOf(asked);
      say(`${2 * counts.restarts} rebalances`, { ...tally, longestWaitMs: spread(worst) });
      expect(tally).toMatchObject({ unavailable: 0, otherwise: 0, cutOff: 0, late: 0 });
    },
    minutesMax * 60_000,
  );

  it(
    'answers within the session timeout when a process is killed, every request by its deadline',
    async () => {
      const waits: number[] = [];
      const firsts: number[] = [];
      const kills: { readonly instance: string; readonly atMs: number }[] = [];
      const victims = ['mail-1', 'gateway-1', 'mail-2', 'gateway-2'];
      const asked = await underLoad(async (load) => {
        for (let i = 0; i < counts.serviceKills; i += 1) {
          const instance = victims[i % victims.length] ?? '';
          const atMs = await world.replace(instance, 'SIGKILL');
          await sleep(sessionTimeoutMs);
          kills.push({ instance, atMs });
          waits.push(longestWait(atMs, performance.now(), load.ended));
          firsts.push(firstOfTheHeldUp(atMs, performance.now(), load.ended));
          const [firstMs, longestWaitMs] = [firsts.at(-1), waits.at(-1)];
          say(`${instance} killed`, { firstOfTheHeldUpMs: firstMs, longestWaitMs });
        }
      });
      const tally = tallyOf(asked);
      const lost = lostReplies(asked, kills);
      say(`${counts.serviceKills} services killed`, {
        ...tally,
        lost,
        firstOfTheHeldUpMs: spread(firsts.filter((ms) => ms > 0)),
        longestWaitMs: spread(waits),
      });
      expect({ lost, otherwise: tally.otherwise, late: tally.late }).toEqual({
        lost: 0,
        otherwise: 0,
        late: 0,
      });
      expect(Math.max(...firsts)).toBeLessThan(sessionTimeoutMs + marginMs);
    },
    minutesMax * 60_000,
  );

  onOwnBroker(
    'answers within two seconds of the broker, with the same processes',
    async () => {
      const pids = world.instances.map(({ pid }) => pid);
      const back: number[] = [];
      const asked = await underLoad(async (load) => {
        for (let i = 0; i < counts.brokerKills; i += 1) {
          await world.broker?.kill();
          await sleep(quietMs);
          await world.broker?.restart();
          const readyMs = performance.now();
          back.push(await firstSuccessAfter(readyMs, load));
          await sleep(5 * quietMs);
        }
      });
      const tally = tallyOf(asked);
      say(`${counts.brokerKills} times no broker`, { ...tally, firstReplyMs: spread(back) });
      expect(tally).toMatchObject({ otherwise: 0, cutOff: 0, late: 0 });
      expect(Math.max(...back)).toBeLessThan(backWithinMs);
      expect(world.instances.map(({ pid }) => pid)).toEqual(pids);
    },
    minutesMax * 60_000,
  );

  it(
    'applies a write whose caller had no answer once or not, and answers its repetition alike',
    async () => {
      const { api, mailbox, conversations } = world;
      const writes = everything.flatMap(({ write, outcome }) =>
        write ? [{ write, outcome }] : [],
      );
      const open = writes.filter(({ outcome }) => outcome !== 200).map(({ write }) => write);
      const before = await commentsByText(api, mailbox, conversations);
      const applied = open.filter(({ text }) => before.has(text)).length;
      await insistOnAll(open);
      const after = await commentsByText(api, mailbox, conversations);
      const timesApplied = writes.map(({ write }) => after.get(write.text)?.length ?? 0);
      say('writes', { all: writes.length, unanswered: open.length, appliedUnanswered: applied });
      expect([...before.values()].filter((same) => same.length > 1)).toEqual([]);
      expect(new Set(timesApplied)).toEqual(new Set([1]));
    },
    minutesMax * 60_000,
  );

  it(
    'gives every committed event its effect once',
    async () => {
      const { api, mailbox, conversations } = world;
      const byText = await commentsByText(api, mailbox, conversations);
      const committed = [...byText.values()].flatMap((same) => same.map(({ id }) => id));
      const deadlineMs = performance.now() + consumedWithinMs;
      while (inbox.byComment.size < committed.length && performance.now() < deadlineMs) {
        await sleep(100);
      }
      const { deliveries, disorder } = inbox;
      say('events', { committed: committed.length, deliveries, disorder });
      expect(inbox.byComment).toEqual(new Map(committed.map((id) => [id, 1])));
      expect(disorder).toBe(0);
    },
    minutesMax * 60_000,
  );

  it('leaves nothing behind', async () => {
    await consumer.close();
    closed = true;
    expect(await world.close()).toEqual([]);
  });

  /** Repeats each twice: the second repetition must find the effect of the first. */
  async function insistOnAll(open: readonly Write[]): Promise<void> {
    const load = new Load(world, 0);
    try {
      for (const write of open) {
        const comment = await insist(load, write);
        expect(await insist(load, write)).toEqual(comment);
      }
    } finally {
      await load.stop();
    }
  }
});

/** 503s and cut-off requests while the gateway lived and no service was being killed. */
function lostReplies(
  asked: readonly LoadRequest[],
  kills: readonly { readonly instance: string; readonly atMs: number }[],
): number {
  const explained = ({ gateway, sentMs, endedMs, outcome }: LoadRequest): boolean =>
    kills.some(
      ({ instance, atMs }) =>
        sentMs < atMs + sessionTimeoutMs + marginMs &&
        endedMs > atMs &&
        (outcome === 503 ? instance.startsWith('mail') : instance === gateway),
    );
  return asked.filter((one) => one.outcome !== 200 && !explained(one)).length;
}

/** The time from a moment to the first successful request. */
async function firstSuccessAfter(momentMs: number, load: Load): Promise<number> {
  for (let looked = load.ended.length; ; await sleep(5)) {
    for (; looked < load.ended.length; looked += 1) {
      const one = load.ended[looked];
      if (one?.outcome === 200) return Math.round(one.endedMs - momentMs);
    }
    if (performance.now() - momentMs > consumedWithinMs) throw new Error('no reply comes any more');
  }
}
