import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Keyring } from '@postroom/access';
import { webhookSecret } from '@postroom/contracts';
import { provision } from '@postroom/persistence/provision';
import { webhooksSchema, webhooksSeals } from '@postroom/webhook-dispatcher';
import { Client } from 'pg';
import { quantile, quartiles } from '../quartiles.js';
import { resultOfRatios, type Result } from '../result.js';
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

/** Medians over the rounds; a second, milliseconds. */
export interface WebhookFigures {
  readonly durable: number;
  readonly raw: number;
  readonly backlog: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p99BesideHangingMs: number;
}

export interface WebhookBenchResult {
  readonly results: readonly Result[];
  readonly figures: WebhookFigures;
}

/**
 * Bench E: durable deliveries (claimed, signed, posted, recorded) against signed POSTs alone; latency
 * beside an endpoint that hangs; and a backlog against a queue that was empty.
 */
export async function runWebhookBench(
  { adminUrl, setup }: BenchDatabase,
  { rounds, signal }: RunOptions,
): Promise<WebhookBenchResult> {
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
    return await measures.all(rounds);
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

  async all(rounds: number): Promise<WebhookBenchResult> {
    const latency = await this.latencies(rounds);
    const subscribed = Array.from({ length: endpoints }, (_, index) =>
      this.queue.subscribe(`${this.origin}/${index}`, 'paused'),
    );
    this.subscriptions = await Promise.all(subscribed);
    await this.durable(roundSize);
    const rates: { durable: number; raw: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      rates.push({ raw: await this.raw(), durable: await this.durable(roundSize) });
    }
    const backlog = await this.durable(backlogSize);
    return resultOf(rates, latency, backlog);
  }

  private async raw(): Promise<number> {
    const secret = webhookSecret(randomBytes(32));
    const order = { url: `${this.origin}/0`, body, secret, count: roundSize, atOnce };
    return (roundSize * 1000) / (await this.processes.post(order)).ms;
  }

  /** Until the last is recorded. */
  private async durable(count: number): Promise<number> {
    await this.queue.set('paused');
    await this.queue.fill(this.subscriptions, count / endpoints, body);
    const began = performance.now();
    await this.queue.set('active');
    await this.queue.emptied();
    return (count * 1000) / (performance.now() - began);
  }

  private async latencies(rounds: number) {
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
    return history;
  }

  private async paced(): Promise<number[]> {
    await this.processes.receive('latencies');
    await this.processes.dispatch({ emit: { tenantId: this.queue.tenantId, ...pace } });
    await sleep(1_000);
    const { latencies = [] } = await this.processes.receive('latencies');
    return latencies.toSorted((one, other) => one - other);
  }
}

function resultOf(
  rates: readonly { durable: number; raw: number }[],
  latency: readonly { quiet: number[]; beside: number[] }[],
  backlog: number,
): WebhookBenchResult {
  const middle = (values: readonly number[]): number => quartiles(values).median;
  const durable = middle(rates.map((one) => one.durable));
  const ratios = {
    rate: rates.map((one) => one.durable / one.raw),
    hanging: latency.map(({ quiet, beside }) => quantile(beside, 0.99) / quantile(quiet, 0.99)),
  };
  return {
    results: [
      resultOfRatios(
        ['E-rate', 'deliveries: durable / signed POSTs alone'],
        ratios.rate,
        'at least',
        0.75,
      ),
      resultOfRatios(
        ['E-hanging', 'p99 beside a receiver that hangs / quiet'],
        ratios.hanging,
        'at most',
        1.5,
      ),
      resultOfRatios(
        ['E-backlog', 'rate with 100,000 waiting / 8,000'],
        [backlog / durable],
        'at least',
        0.9,
      ),
    ],
    figures: {
      durable,
      raw: middle(rates.map(({ raw }) => raw)),
      backlog,
      p50Ms: middle(latency.map(({ quiet }) => quantile(quiet, 0.5))),
      p99Ms: middle(latency.map(({ quiet }) => quantile(quiet, 0.99))),
      p99BesideHangingMs: middle(latency.map(({ beside }) => quantile(beside, 0.99))),
    },
  };
}
