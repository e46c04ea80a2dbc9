import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hashOf, Receiver, type Received } from '@postroom/testing';
import { isFullRun, repetitions } from '@postroom/testing/repetitions';
import { topology } from './config.js';
import { readProduct, type RunningProduct } from './product.js';
import { startProduct } from './product-process.js';
import { until } from './until.js';
import { recordOf } from './wire.js';
import { type OwnKey, Workplace } from './workplace.js';

const events = repetitions(10_000, 150);
const kills = isFullRun() ? 20 : 2;
const writers = 8;
const conversations = 40;

/** What the twenty endpoints do with what they get. */
const kinds = ['hangs', 'hangs', 'fails', 'fails', 'gone'] as const;
const healthy = Array.from({ length: 15 }, (_, index) => `/healthy/${index}`);
const paths = [...kinds.map((kind, index) => `/${kind}/${index}`), ...healthy];

const settings = { WEBHOOK_RETRY_DELAYS_MS: '0,200ms,500ms,1s' };

describe('SIGKILL of the dispatcher while it delivers', () => {
  let running: RunningProduct;
  let place: Workplace;
  let receiver: Receiver;
  let mailbox: string;
  let api: OwnKey;
  const threads: string[] = [];
  const webhooks = new Map<string, string>();
  const began = new Date().toISOString();

  beforeAll(async () => {
    receiver = await Receiver.start();
    receiver.answer = ({ path }, response) => {
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
    await running.remove();
    await receiver.close();
  });

  /** Writes comments with clients that ask again for what was cut off; each emits an event. */
  const write = async (): Promise<void> => {
    let next = 0;
    const client = async (): Promise<void> => {
      for (let i = next++; i < events; i = next++) {
        const path = `/v1/conversations/${threads[i % conversations]}/comment`;
        const body = { mailbox, text: `Nº ${i}` };
        for (let status = 0; status !== 200;) {
          const answer = await api.post(path, body, `crash-${began}-${i}`).catch(() => null);
          status = answer?.status ?? 0;
          if (status !== 200) await sleep(100);
        }
      }
    };
    await Promise.all(Array.from({ length: writers }, client));
  };

  const dispatcherOf = async (): Promise<number | undefined> =>
    (await readProduct(running.demoFile)).instances?.find(
      ({ service }) => service === 'webhook-dispatcher',
    )?.pid;

  /** The process of the dispatcher, or the one that everything lives in; and has it come back. */
  const kill = async (): Promise<void> => {
    if (topology() === 'process') {
      await running.kill('services');
      return running.restart();
    }
    const pid = await dispatcherOf();
    if (pid === undefined) throw new Error('demo.json names no dispatcher');
    process.kill(pid, 'SIGKILL');
    await until(async () => ((await dispatcherOf()) ?? pid) !== pid);
  };

  it('loses nothing, and makes no fifth attempt', async () => {
    const writing = write();
    for (let i = 0; i < kills; i++) {
      const before = receiver.received.length;
      await until(() => receiver.received.length > before, 60_000);
      await sleep(Math.random() * 1_000);
      await kill();
    }
    await writing;
    const idsAt = (path: string): Set<string> =>
      new Set(receiver.at(path).map(({ headers }) => String(headers['webhook-id'])));
    const perHealthy = () => healthy.map((path) => idsAt(path).size);
    await until(() => perHealthy().every((count) => count === events), 600_000);

    const byDelivery = Map.groupBy(receiver.received, ({ headers }) => headers['x-svc-delivery']);
    const attempts = [...byDelivery.values()];
    const numbersOf = (all: readonly Received[]) =>
      all.map(({ headers }) => headers['x-svc-attempt']);
    expect(Math.max(...attempts.map(({ length }) => length))).toBeLessThanOrEqual(4);
    expect(attempts.filter((all) => new Set(numbersOf(all)).size < all.length)).toEqual([]);
    const byEvent = Map.groupBy(receiver.received, ({ headers }) => headers['webhook-id']);
    const bytes = [...byEvent.values()].map((all) => new Set(all.map(hashOf)).size);
    expect(new Set(bytes)).toEqual(new Set([1]));

    const verified = await verify();
    const counts = verified.at(-1);
    const cut = attempts.filter((all) => !numbersOf(all).includes('1')).length;
    process.stdout.write(
      `${topology()}: ${events} events, ${kills} kills, ${receiver.received.length} POSTs, ` +
        `${cut} first attempts cut before they were sent, ${JSON.stringify(counts)}\n`,
    );
    const ofHealthy = new Set(healthy.map((path) => webhooks.get(path)));
    const about = verified.slice(0, -1);
    expect(about.filter((one) => ofHealthy.has(String(one['subscription'])))).toEqual([]);
    expect(about.filter((one) => one['subscription'] === null)).toEqual([]);
  }, 3_000_000);

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
    const ofHealthy = new Set(healthy.map((path) => webhooks.get(path)));
    let found = await ask();
    for (let tries = 0; tries < 10; tries++) {
      if (!found.some((one) => ofHealthy.has(String(one['subscription'])))) break;
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
