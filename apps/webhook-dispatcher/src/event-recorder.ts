import { setTimeout as sleep } from 'node:timers/promises';
import type { EventRecord } from '@postroom/bus';
import { eventGroup, type EventEnvelope } from '@postroom/contracts';
import { asProblem } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { inContextOf, traceparent } from '@postroom/tracing';
import { ulid } from 'ulid';
import { slotsOf } from './retention.js';

/** Events of one transaction at most, and bytes of their envelopes. */
const batchMax = 64;
const batchBytesMax = 4 * 1024 * 1024;
const retryMs = 500;

const appendEvents = statement<object>(
  'webhooks.append_events',
  'SELECT append_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
);

interface Waiting {
  readonly event: EventRecord;
  readonly envelope: EventEnvelope;
  /** The trace in which it was consumed, which its deliveries continue. */
  readonly trace: string | null;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/** Records events in the feed and queues their deliveries; one commit for those that arrive together. */
export class EventRecorder {
  private waiting: Waiting[] = [];
  private isBusy = false;
  private isStopped = false;

  constructor(
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  /**
   * Resolves when the event is committed. Waits while the database is unavailable or full: the bus gives an
   * event up after some attempts, and then it would reach no receiver.
   * @throws Error for a type outside the list of the specification, which no subscription receives
   */
  record(event: EventRecord): Promise<void> {
    if (!eventGroup(event.type)) throw new Error(`${event.type} is no event for the outside`);
    const envelope = JSON.parse(event.envelope) as EventEnvelope;
    return new Promise((done, fail) => {
      this.waiting.push({ event, envelope, trace: traceparent(), done, fail });
      // Everything that arrives in this turn of the event loop is one batch, which belongs to no trace.
      if (!this.isBusy) setImmediate(() => void inContextOf(null, () => this.recordBatches()));
    });
  }

  private async recordBatches(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.waiting.length > 0) await this.commit(this.nextBatch());
    this.isBusy = false;
  }

  private nextBatch(): readonly Waiting[] {
    let [size, bytes] = [0, 0];
    for (const { event } of this.waiting.slice(0, batchMax)) {
      bytes += event.envelope.length;
      if (size > 0 && bytes > batchBytesMax) break;
      size += 1;
    }
    return this.waiting.splice(0, size);
  }

  /** From now on, an event that cannot be recorded at once fails, and stays with the bus. */
  stop(): void {
    this.isStopped = true;
  }

  private async commit(batch: readonly Waiting[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        await this.database.rows(appendEvents, columnsOf(batch));
        for (const { done } of batch) done();
        return;
      } catch (err) {
        if (this.isStopped || asProblem(err).code !== 'SERVICE_UNAVAILABLE') {
          return this.refuse(batch, err);
        }
        if (tries === 1) this.log.warn({ err }, 'webhooks: events cannot be recorded, retrying');
        await sleep(retryMs);
      }
    }
  }

  /** Records a failed batch one by one, so that a bad event stops no other. */
  private async refuse(batch: readonly Waiting[], error: unknown): Promise<void> {
    const [only] = batch;
    if (only && batch.length === 1) only.fail(error);
    else for (const one of batch) await this.commit([one]);
  }
}

const columnsOf = (batch: readonly Waiting[]): unknown[] => {
  const slots = batch.map(({ event }) => slotsOf(event.id));
  return [
    ulid().slice(0, 10),
    slots.map(({ day }) => day),
    slots.map(({ week }) => week),
    batch.map(({ event }) => event.tenantId),
    batch.map(({ event }) => event.id),
    batch.map(({ event }) => event.type),
    batch.map(({ event }) => event.resource),
    batch.map(({ envelope }) => envelope.sequence),
    batch.map(({ envelope }) => textIn(envelope.data, 'conversation', 'mailbox')),
    batch.map(({ envelope }) =>
      envelope.type === 'integration.test' ? textIn(envelope.data, 'webhookId') : null,
    ),
    batch.map(({ event }) => event.envelope),
    batch.map(({ trace }) => trace),
  ];
};

/** The text at a path in an object; null if there is none. */
function textIn(value: unknown, ...path: readonly string[]): string | null {
  let at: unknown = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return null;
    at = (at as Record<string, unknown>)[name];
  }
  return typeof at === 'string' ? at : null;
}
