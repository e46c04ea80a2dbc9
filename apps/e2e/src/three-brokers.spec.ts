// tags: own, cluster
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { brokerMissing, startBrokers, type RunningBrokers } from '@postroom/local';
import { whereThere } from '@postroom/testing';
import { until } from '@postroom/testing/until';
import type { Answer } from './http.js';
import { ProductProcess } from './product-process.js';
import { type Comment, commentOf, conversationOf, recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const clients = 4;
const loadMs = 20_000;
/** Issue 25, part 8. */
const answeredAgainMs = 15_000;

/** Comments that were asked for while a broker was killed. */
interface Written {
  /** Those that were answered with 200. */
  readonly acknowledged: Comment[];
  /** The longest time without an answer of 200, to any client. */
  longestMs: number;
}

const timesIn = (whole: string, text: string): number => whole.split(text).length - 1;

/** A cluster of three brokers loses one of them under load: nothing is lost, and it goes on. */
whereThere({ missing: brokerMissing() }, describe)('a product on three brokers', () => {
  let folder: string;
  let kafka: RunningBrokers;
  let killed: RunningBrokers['nodes'][number] | undefined;
  let running: ProductProcess;
  let place: Workplace;
  let mailbox: string;
  let api: OwnKey;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-brokers-'));
    kafka = await startBrokers(3, { dataDir: folder, log: () => undefined });
    running = await ProductProcess.prepare({
      KAFKA_BROKERS: kafka.brokers,
      KAFKA_PREFIX: 'postroom',
    });
    await running.restart();
    place = await Workplace.open('acme', running.product);
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox, { scopes: ['read:conversations', 'write:conversations'] });
  });

  afterAll(async () => {
    await running.remove();
    await kafka.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Each client asks again, with the same key, until it has its answer. */
  const comment = async (id: string, untilMs: number, written: Written): Promise<void> => {
    while (performance.now() < untilMs) {
      const text = randomUUID();
      const path = `/v1/conversations/${id}/comment`;
      let answer: Answer | undefined;
      while (answer?.status !== 200) {
        if (performance.now() > untilMs + answeredAgainMs) return;
        answer = await api.post(path, { mailbox, text }, text).catch(() => undefined);
        if (answer?.status !== 200) await sleep(100);
      }
      written.acknowledged.push(commentOf(answer));
    }
  };

  const load = async (ids: readonly string[]): Promise<Written> => {
    const written: Written = { acknowledged: [], longestMs: 0 };
    const untilMs = performance.now() + loadMs;
    let [count, sinceMs] = [0, performance.now()];
    const watching = setInterval(() => {
      if (written.acknowledged.length > count)
        [count, sinceMs] = [written.acknowledged.length, performance.now()];
      written.longestMs = Math.max(written.longestMs, performance.now() - sinceMs);
    }, 50);
    await Promise.all(ids.map((id) => comment(id, untilMs, written)));
    clearInterval(watching);
    return written;
  };

  afterEach(async () => {
    await killed?.restart();
    if (killed) await kafka.inSync();
    killed = undefined;
  });

  it('keeps its topics on all three', async () => {
    const { stdout } = await running.command('doctor');
    expect(stdout).toMatch(/^ok +topics: all/m);
  });

  it.each([0, 1, 2])(
    'loses nothing when broker %i is killed under load, and answers again within 15 s',
    async (number) => {
      const ids: string[] = [];
      while (ids.length < clients) ids.push((await place.receive(api, mailbox)).id);
      const loading = load(ids);
      await sleep(3_000);
      killed = kafka.nodes[number];
      await killed?.kill();
      const { acknowledged, longestMs } = await loading;
      expect(acknowledged.length).toBeGreaterThan(0);
      const seen = `${acknowledged.length} writes, ${Math.round(longestMs)} ms without an answer`;
      process.stderr.write(`three brokers: ${seen}\n`);
      expect(longestMs).toBeLessThan(answeredAgainMs);

      const there = await Promise.all(
        ids.map(async (id) =>
          JSON.stringify(conversationOf(await api.get(`/v1/conversations/${id}`, { mailbox }))),
        ),
      );
      expect(acknowledged.filter(({ text }) => timesIn(there.join(), text) !== 1)).toEqual([]);
      // The events of all of them arrive, with one broker less.
      await until(async () => {
        const told = await feed();
        return acknowledged.every(({ id }) => timesIn(told, id) > 0);
      });
    },
  );

  /** The texts of the comments in the feed, in order. */
  async function feed(): Promise<string> {
    const pages: string[] = [];
    let after: string | null = null;
    for (;;) {
      const asked = {
        limit: 500,
        types: 'conversation.commented',
        ...(after !== null && { after }),
      };
      const page = recordOf(await api.get('/v1/events', asked));
      pages.push(JSON.stringify(page['events']));
      after = page['nextAfter'] as string | null;
      if (page['truncated'] !== true) return pages.join();
    }
  }
});
