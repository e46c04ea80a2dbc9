import { setTimeout as sleep } from 'node:timers/promises';
import type { DeliveryStatus } from '@postroom/contracts';
import { statement, type Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import type { AttemptResult, Post } from './poster.js';
import type { ClaimedDelivery } from './claims.js';

/** The result of an attempt, and the next status of its delivery. */
export interface Outcome {
  readonly delivery: ClaimedDelivery;
  readonly status: DeliveryStatus;
  /** The wait before the next attempt, if it is pending. */
  readonly waitMs: number;
  readonly result: AttemptResult;
  /** The headers that were sent; null when nothing was. */
  readonly headers: Post['headers'] | null;
}

/** A subscription that has failed for too long. */
export interface FailingSubscription {
  readonly tenant_id: string;
  readonly subscription_id: string;
}

const recordOutcomes = statement<FailingSubscription>(
  'webhooks.record_outcomes',
  'SELECT * FROM record_outcomes($1, $2)',
);

const batchMax = 64;
const gatherMs = 2;
/** Five days (`decisions.md` §8). */
const failingMs = 5 * 24 * 3_600_000;
const retryMs = 500;

/** Records outcomes; those that arrive while a batch is written form the next batch. */
export class OutcomeWriter {
  private waiting: { outcome: Outcome; done: () => void }[] = [];
  private writing: Promise<void> | null = null;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
    private readonly failing: (found: readonly FailingSubscription[]) => void,
  ) {}

  /** Resolves when it is committed; waits while the database is unavailable. */
  write(outcome: Outcome): Promise<void> {
    return new Promise((done) => {
      this.waiting.push({ outcome, done });
      this.writing ??= this.writeBatches();
    });
  }

  private async writeBatches(): Promise<void> {
    await sleep(gatherMs);
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, batchMax);
      await this.commit(batch.map(({ outcome }) => outcome));
      for (const { done } of batch) done();
    }
    this.writing = null;
  }

  /** Tries for ten seconds; after that the lease expires, and the attempt counts as cut off. */
  private async commit(batch: readonly Outcome[]): Promise<void> {
    const outcomes = JSON.stringify(batch.map(asRow));
    for (let tries = 1; ; tries += 1) {
      try {
        const found = await this.database.rows(recordOutcomes, [outcomes, failingMs]);
        if (found.length > 0) this.failing(found);
        return;
      } catch (err) {
        if (tries === 1) this.log.warn({ err }, 'webhooks: outcomes cannot be recorded, retrying');
        if (tries === 20) return;
        await sleep(retryMs);
      }
    }
  }
}

const asRow = ({ delivery, status, waitMs, result, headers }: Outcome) => ({
  week: delivery.week,
  id: delivery.id,
  tenant: delivery.tenant_id,
  subscription: delivery.subscription_id,
  event: delivery.event_id,
  redelivery: delivery.redelivery,
  resource: delivery.resource,
  first: delivery.first,
  lease: delivery.lease,
  attempt: delivery.attempt,
  at: delivery.started_at,
  status,
  wait_ms: waitMs,
  duration_ms: result.durationMs,
  http: result.status,
  error: result.error,
  excerpt: result.excerpt,
  headers,
});
