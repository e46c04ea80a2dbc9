// tags: own
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Receiver } from '@postroom/testing';
import { isFullRun, repetitions } from '@postroom/testing/repetitions';
import { until } from '@postroom/testing/until';
import { topology } from './config.js';
import { readProduct, type RunningProduct } from './product.js';
import { startProduct } from './product-process.js';
import { isAlive } from './process-tree.js';
import { WebhookTally } from './webhook-tally.js';
import { recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const kills = isFullRun() ? 20 : 1;
/** Events are written in rounds, so that there are some to deliver at each kill. */
const perRound = Math.ceil(repetitions(10_000, 75) / kills);
const events = kills * perRound;
const writers = 8;
const conversations = 40;
/** Nothing more arrives at a healthy endpoint after this: a lease and the last wait are over long before. */
const quietMs = 120_000;
/** A cluster restarts what dies again and again after half a minute: with both dispatchers so long nothing comes. */
const aloneMs = 90_000;

/** The behaviour of the twenty endpoints. */
const kinds = ['hangs', 'hangs', 'fails', 'fails', 'gone'] as const;
const healthy = Array.from({ length: 15 }, (_, index) => `/healthy/${index}`);
const paths = [...kinds.map((kind, index) => `/${kind}/${index}`), ...healthy];

// Apart from each other like the rounds, so that kills meet the attempts of a delivery independently: one
// that is cut four times has had its attempts, and has failed.
const settings = { WEBHOOK_RETRY_DELAYS_MS: '0,5s,15s,30s' };

describe('SIGKILL of the dispatcher while it delivers', () => {
  let running: RunningProduct;
  let place: Workplace;
  let receiver: Receiver;
  let mailbox: string;
  let api: OwnKey;
  const threads: string[] = [];
  const webhooks = new Map<string, string>();
  const [toHealthy, toOthers] = [new WebhookTally(), new WebhookTally()];
  const began = new Date().toISOString();
  const ended = new AbortController();

  beforeAll(async () => {
    receiver = await Receiver.start();
    receiver.answer = (received, response) => {
      receiver.received.length = 0;
      const { path } = received;
      (path.startsWith('/healthy') ? toHealthy : toOthers).add(received);
      if (path.startsWith('/hangs')) return;
      const status = path.startsWith('/fails') ? 500 : path.startsWith('/gone') ? 410 : 204;
      response.writeHead(status).end();
    };
    running = await startProduct(settings);
    place = await Workplace.open('acme', running.product);
    mailbox = await place.mailbox();
    api = await place.keyFor(mailbox);
    for (let i = 0; i < conversations; i++) threads.push((await place.receive(api, mailbox)).id);
    for (const path of paths) {
      const input = { url: receiver.url(path), events: ['comment.added'] };
      const { webhook } = recordOf(await place.settings.post('/webhooks', input));
      webhooks.set(path, (webhook as { id: string }).id);
    }
  });
  afterAll(async () => {
    ended.abort();
    await running.remove();
    await receiver.close();
  });

  /** Writes a round's comments with clients that ask again for what was cut off; each emits an event. */
  const write = async (round: number): Promise<void> => {
    let next = round * perRound;
    const client = async (): Promise<void> => {
      for (let i = next++; i < (round + 1) * perRound; i = next++) {
        const path = `/v1/conversations/${threads[i % conversations]}/comment`;
        const body = { mailbox, text: `Nº ${i}` };
        for (let status = 0; status !== 200 && !ended.signal.aborted;) {
          const answer = await api.post(path, body, `crash-${began}-${i}`).catch(() => null);
          status = answer?.status ?? 0;
          if (status !== 200) await sleep(100);
        }
      }
    };
    await Promise.all(Array.from({ length: writers }, client));
  };

  const dispatchers = async (): Promise<number[]> => {
    const { instances = [] } = await readProduct(running.demoFile);
    const ours = instances.filter(({ service }) => service === 'webhook-dispatcher');
    return ours.map(({ pid }) => pid).filter(isAlive);
  };

  /** One of the cluster's dispatchers, which restarts it in its own time; or the process of everything. */
  const kill = async (): Promise<void> => {
    if (topology() === 'process') {
      await running.kill('services');
      return running.restart();
    }
    await until(async () => {
      const pids = await dispatchers();
      const pid = pids[Math.floor(Math.random() * pids.length)];
      return pid !== undefined && process.kill(pid, 'SIGKILL');
    }, aloneMs);
  };

  it('loses nothing, and makes no fifth attempt', async () => {
    for (let round = 0; round < kills; round++) {
      const before = toHealthy.posts;
      const writing = write(round);
      await until(() => toHealthy.posts > before, aloneMs);
      await sleep(Math.random() * 5_000);
      await kill();
      await writing;
    }
    const reached = () => healthy.map((path) => toHealthy.eventsAt(path));
    const isQuiet = () => Date.now() - toHealthy.lastMs > quietMs;
    await until(() => isQuiet() || reached().every((count) => count === events), 1_800_000);

    const verified = await verify();
    const counts = verified.at(-1);
    process.stdout.write(
      `${topology()}: ${events} events, ${kills} kills, ${toHealthy.posts} POSTs to healthy endpoints, ` +
        `${toOthers.posts} to others, ${toHealthy.firstsCut} first attempts cut before they were sent, ` +
        `${JSON.stringify(counts)}\n`,
    );
    for (const { surplus, altered } of [toHealthy, toOthers]) {
      expect({ surplus, altered }).toEqual({ surplus: [], altered: [] });
    }
    const about = verified.slice(0, -1);
    expect(about.filter(isOfHealthy)).toEqual([]);
    expect(about.filter((one) => one['subscription'] === null)).toEqual([]);
    expect(about.filter((one) => /^had /.test(String(one['finding'])))).toEqual([]);
    expect(reached()).toEqual(healthy.map(() => events));
  }, 3_000_000);

  const isOfHealthy = ({ subscription }: Record<string, unknown>): boolean =>
    healthy.some((path) => webhooks.get(path) === subscription);

  /** Asks until the last outcomes of healthy endpoints are recorded. */
  const verify = async (): Promise<Record<string, unknown>[]> => {
    const ask = async () => {
      const args = ['events', 'verify', '--name', 'acme', '--since', began];
      const { code, stdout, stderr } = await running.command(...args);
      if (code !== 0) throw new Error(stderr);
      return stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    };
    let found = await ask();
    for (let tries = 0; tries < 10; tries++) {
      if (!found.some(isOfHealthy)) break;
      await sleep(5_000);
      found = await ask();
    }
    return found;
  };

  it('disables the endpoint that is gone, and no other', async () => {
    const answer = await place.settings.get('/webhooks');
    const { items } = recordOf(answer) as { items: { id: string; status: string }[] };
    const disabled = items.filter(({ status }) => status === 'disabled').map(({ id }) => id);
    expect(disabled).toEqual([webhooks.get('/gone/4')]);
  });
});
