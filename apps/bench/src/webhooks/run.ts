import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keyring } from '@postroom/access';
import { webhookSecret } from '@postroom/contracts';
import { provision } from '@postroom/persistence/provision';
import { webhooksSchema, webhooksSeals } from '@postroom/webhook-dispatcher';
import { Client } from 'pg';
import { quantile, quartiles } from '../quartiles.js';
import { joined, resultOfRatios, type Part } from '../result.js';
import type { BenchDatabase } from '../rig/database.js';
import type { RunOptions } from '../rounds.js';
import { Processes } from './processes.js';
import { Queue } from './queue.js';

const endpoints = 4;
/** Deliveries of a round, and of the backlog, to all endpoints together. */
const roundSize = 8_000;
const backlogSize = 100_000;
/** As many as the dispatcher has under way to as many endpoints that answer. */
const atOnce = endpoints * 16;
const pace = { perSecond: 100, ms: 6_000 };
/** A contact's event. */
const body = JSON.stringify({ type: 'contact.created', data: { filler: 'x'.repeat(900) } });

export const webhookLines = ['E-rate', 'E-hanging', 'E-backlog'];

/** Deliveries a second, and CPU milliseconds a delivery. */
interface Rate {
  readonly perSecond: number;
  readonly cpuMs: number;
}

/**
 * Bench E: durable deliveries (claimed, signed, posted, recorded) against signed POSTs alone; latency
 * beside an endpoint that hangs; and a backlog against a queue that was empty.
 */
export async function runWebhookBench(
  { adminUrl, setup }: BenchDatabase,
  { rounds, signal, isWanted }: RunOptions,
): Promise<Part> {
  const urls = await provision(adminUrl, [webhooksSchema]);
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  const processes = new Processes(signal);
  try {
    const { port } = await processes.receive('listen');
    await processes.dispatch({
      start: {
        DATABASE_URL: urls.webhooks,
        BLOBS_DATABASE_URL: setup.databaseUrls.blobs,
        SECRETS_KEYS: setup.secretsKeys,
        CALLER_KEY: setup.callerKeys.webhooks,
        WEBHOOK_ALLOWED_CIDRS: '127.0.0.1',
      },
    });
    const queue = new Queue(admin, Keyring.parse(setup.secretsKeys, webhooksSeals));
    const measures = new Measures(processes, queue, `http://127.0.0.1:${port ?? 0}`);
    const parts: Part[] = [];
    if (isWanted('E-hanging')) parts.push(await measures.latencies(rounds));
    const isBacklogWanted = isWanted('E-backlog');
    if (isWanted('E-rate') || isBacklogWanted)
      parts.push(await measures.rates(rounds, isBacklogWanted));
    return joined(parts);
  } finally {
    await processes.stop();
    await admin.end();
  }
}

class Measures {
  private subscriptions: readonly string[] = [];

  constructor(
    private readonly processes: Processes,
    private readonly queue: Queue,
    private readonly origin: string,
  ) {}

  /** Durable deliveries beside posts alone, and then those of a queue that is long. */
  async rates(rounds: number, isBacklogWanted: boolean): Promise<Part> {
    const subscribed = Array.from({ length: endpoints }, (_, index) =>
      this.queue.subscribe(`${this.origin}/${index}`, 'paused'),
    );
    this.subscriptions = await Promise.all(subscribed);
    await this.durable(roundSize);
    const history: { durable: Rate; raw: Rate }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      history.push({ raw: await this.raw(), durable: await this.durable(roundSize) });
    }
    const rate = resultOfRatios(
      ['E-rate', 'deliveries: durable / signed POSTs alone'],
      history.map(({ durable, raw }) => durable.perSecond / raw.perSecond),
      'at least',
      0.75,
    );
    const middle = (side: 'durable' | 'raw', figure: keyof Rate): number =>
      quartiles(history.map((round) => round[side][figure])).median;
    const cpuMs = { own: middle('durable', 'cpuMs'), twin: middle('raw', 'cpuMs') };
    const [durable, raw] = [middle('durable', 'perSecond'), middle('raw', 'perSecond')];
    if (!isBacklogWanted)
      return { results: [{ ...rate, cpuMs }], figures: { webhooks: { durable, raw } } };
    const { perSecond: backlog } = await this.durable(backlogSize);
    const ofBacklog = resultOfRatios(
      ['E-backlog', 'rate with 100,000 waiting / 8,000'],
      [backlog / durable],
      'at least',
      0.9,
    );
    return {
      results: [{ ...rate, cpuMs }, ofBacklog],
      figures: { webhooks: { durable, raw, backlog } },
    };
  }

  private async raw(): Promise<Rate> {
    const secret = webhookSecret(randomBytes(32));
    const order = { url: `${this.origin}/0`, body, secret, count: roundSize, atOnce };
    const { ms, cpuMs } = await this.processes.post(order);
    return { perSecond: (roundSize * 1000) / ms, cpuMs: cpuMs / roundSize };
  }

  /** Until the last is recorded. */
  private async durable(count: number): Promise<Rate> {
    await this.queue.set('paused');
    await this.queue.fill(this.subscriptions, count / endpoints, body);
    const { cpuMs: before = NaN } = await this.processes.dispatch('cpu');
    const began = performance.now();
    await this.queue.set('active');
    await this.queue.emptied();
    const perSecond = (count * 1000) / (performance.now() - began);
    const { cpuMs = NaN } = await this.processes.dispatch('cpu');
    return { perSecond, cpuMs: (cpuMs - before) / count };
  }

  /** Latencies beside an endpoint that hangs, and without it. */
  async latencies(rounds: number): Promise<Part> {
    const paced = await this.queue.subscribe(`${this.origin}/paced`, 'active');
    await this.paced();
    const history: { quiet: number[]; beside: number[] }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const quiet = await this.paced();
      const hanging = await this.queue.subscribe(`${this.origin}/hangs`, 'active');
      history.push({ quiet, beside: await this.paced() });
      await this.queue.remove(hanging);
    }
    await this.queue.remove(paced);
    const middle = (phase: 'quiet' | 'beside', share: number): number =>
      quartiles(history.map((round) => quantile(round[phase], share))).median;
    const result = resultOfRatios(
      ['E-hanging', 'p99 beside a receiver that hangs / quiet'],
      history.map(({ quiet, beside }) => quantile(beside, 0.99) / quantile(quiet, 0.99)),
      'at most',
      1.5,
    );
    const delays = { p50Ms: middle('quiet', 0.5), p99Ms: middle('quiet', 0.99) };
    const webhookDelays = { ...delays, p99BesideHangingMs: middle('beside', 0.99) };
    return { results: [result], figures: { webhookDelays } };
  }

  private async paced(): Promise<number[]> {
    await this.processes.receive('latencies');
    await this.processes.dispatch({ emit: { tenantId: this.queue.tenantId, ...pace } });
    await sleep(1_000);
    const { latencies = [] } = await this.processes.receive('latencies');
    return latencies.toSorted((one, other) => one - other);
  }
}
