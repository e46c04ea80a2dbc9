import type { EventRecord } from '@postroom/bus';
import { eventGroup, type EventEnvelope } from '@postroom/contracts';
import { statement, type Database } from '@postroom/persistence';
import { ulid } from 'ulid';
import { slotsOf } from '../retention.js';

/** Events of one transaction at most, and bytes of their envelopes. */
const batchMax = 64;
const batchBytesMax = 4 * 1024 * 1024;

const recordEvents = statement<{ queued: number }>(
  'webhooks.record_events',
  'SELECT record_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS queued',
);

interface Waiting {
  readonly event: EventRecord;
  readonly envelope: EventEnvelope;
  readonly done: () => void;
  readonly fail: (error: unknown) => void;
}

/** Records events in the feed and queues their deliveries; those that come together, in one commit. */
export class EventRecorder {
  private waiting: Waiting[] = [];
  private isBusy = false;

  constructor(
    private readonly database: Database,
    /** Called after each commit, with whether deliveries were queued. */
    private readonly recorded: (queued: boolean) => void,
  ) {}

  /**
   * Resolves when the event is committed.
   * @throws Error for a type outside the list of the specification, which no subscription is sent
   */
  record(event: EventRecord): Promise<void> {
    if (!eventGroup(event.type)) throw new Error(`${event.type} is no event for the outside`);
    const envelope = JSON.parse(event.envelope) as EventEnvelope;
    return new Promise((done, fail) => {
      this.waiting.push({ event, envelope, done, fail });
      // All that arrives in this turn of the event loop is one batch.
      if (!this.isBusy) setImmediate(() => void this.drain());
    });
  }

  private async drain(): Promise<void> {
    if (this.isBusy) return;
    this.isBusy = true;
    while (this.waiting.length > 0) await this.commit(this.nextBatch());
    this.isBusy = false;
  }

  private nextBatch(): readonly Waiting[] {
    let bytes = 0;
    const fits = ({ event }: Waiting, index: number): boolean =>
      index < batchMax && (bytes += event.envelope.length) <= batchBytesMax;
    const size = Math.max(
      1,
      this.waiting.findIndex((one, index) => !fits(one, index)),
    );
    const isWhole = this.waiting.length <= batchMax && bytes <= batchBytesMax;
    return this.waiting.splice(0, isWhole ? this.waiting.length : size);
  }

  /** One by one when it fails together, so that one bad event stops no other. */
  private async commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const [row] = await this.database.rows(recordEvents, columnsOf(batch));
      this.recorded((row?.queued ?? 0) > 0);
      for (const { done } of batch) done();
    } catch (error) {
      const [only] = batch;
      if (only && batch.length === 1) only.fail(error);
      else for (const one of batch) await this.commit([one]);
    }
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
  ];
};

/** A text somewhere in an object; null when it is not there. */
function textIn(value: unknown, ...path: readonly string[]): string | null {
  let at: unknown = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null) return null;
    at = (at as Record<string, unknown>)[name];
  }
  return typeof at === 'string' ? at : null;
}
