import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  eventKey,
  RecordTooLarge,
  UnknownEventType,
  type Bus,
  type EventRecord,
} from '@postroom/bus';
import { Signal } from '@postroom/concurrency';
import type { EventEnvelope, ServiceName } from '@postroom/contracts';
import type { Database, Listener } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { onEvents } from './unit-of-work.js';
import {
  leaseBatch,
  completeBatch,
  outboxChannel,
  type Batch,
  type Delivery,
} from './outbox-shards.js';

export interface RelayOptions {
  readonly database: Database;
  readonly listener: Pick<Listener, 'listen'>;
  readonly bus: Pick<Bus, 'emit'>;
  /** The schema whose outbox it empties. */
  readonly schema: string;
  /** The service that its events are said to be of; between processes its signature shows that. */
  readonly publisher: ServiceName;
  readonly log: Log;
  /** Time after which another relay may take the shards of one that has crashed (30 s). */
  readonly leaseMs?: number;
  /** Interval of looking for events that no notification has announced (1 s). */
  readonly pollMs?: number;
  /** Commits within this time are published together: a longer time is less work for the database (50 ms). */
  readonly gatherMs?: number;
  /** Longest wait between two attempts while nothing can be published (5 s). */
  readonly backoffMaxMs?: number;
}

/** Publishes the events of a schema's outbox. */
export interface Relay {
  /** Finishes the batch under way and releases its shards. */
  stop(): Promise<void>;
}

/**
 * Starts publishing a schema's outbox; any number of relays may do it at once. Every event is published
 * at least once, the events of a resource in the order of their sequence. While the bus takes none they wait,
 * however long; an event that it will never take is parked in its row with the cause.
 */
export const startRelay = (options: RelayOptions): Relay => new OutboxRelay(options);

type BatchOutcome = 'full' | 'some' | 'none' | 'failed';

const backoffMinMs = 100;

/** Longer than a release needs to reach every replica. */
const unknownAgeMsMax = 3_600_000;

type Refusal = UnknownEventType | RecordTooLarge;

const isRefusal = (error: unknown): error is Refusal =>
  error instanceof UnknownEventType || error instanceof RecordTooLarge;

/** A batch on its way. */
interface Publishing extends Batch {
  readonly delivery: Delivery;
  /** By key, the resources whose events stay in the outbox for now, and why. */
  readonly staying: Map<string, Error>;
}

/** True for an event that may be of the next release, whose relays may run already: a rollout takes less than an hour. */
const isYoung = ({ envelope }: EventRecord): boolean => {
  const { occurredAt = '' } = JSON.parse(envelope) as Partial<EventEnvelope>;
  return Date.now() - Date.parse(occurredAt) < unknownAgeMsMax;
};

class OutboxRelay implements Relay {
  private readonly options: Required<RelayOptions>;
  private readonly owner = `${hostname()} ${process.pid}`;
  private readonly signal = new Signal();
  private readonly stopping = new AbortController();
  private readonly ended: Promise<void>;
  private readonly unhook: () => void;
  /** Zero while events leave. */
  private backoffMs = 0;
  /** True after a full batch. */
  private busy = false;

  constructor(options: RelayOptions) {
    this.options = {
      leaseMs: 30_000,
      pollMs: 1_000,
      gatherMs: 50,
      backoffMaxMs: 5_000,
      ...options,
    };
    const { database, listener, schema } = options;
    const wake = (): void => {
      this.signal.notify();
    };
    this.unhook = onEvents(database, wake);
    void listener.listen(outboxChannel(schema), wake);
    this.ended = this.publishUntilStopped();
  }

  async stop(): Promise<void> {
    this.unhook();
    this.stopping.abort();
    this.signal.notify();
    await this.ended;
  }

  private async publishUntilStopped(): Promise<void> {
    const { pollMs, gatherMs } = this.options;
    while (!this.stopping.signal.aborted) {
      const beganMs = performance.now();
      const outcome = await this.publishBatch().catch((error: unknown) => this.fail(error));
      if (outcome === 'full') continue;
      if (outcome === 'none') await this.signal.wait(pollMs);
      const pauseMs =
        outcome === 'failed' ? this.backoffMs : beganMs + gatherMs - performance.now();
      await this.pause(pauseMs);
    }
  }

  /** Leases a batch, publishes it and completes it. */
  private async publishBatch(): Promise<BatchOutcome> {
    const { database, leaseMs, log } = this.options;
    const batch = await leaseBatch(database, this.owner, leaseMs, this.busy ? 'share' : 'all');
    this.busy = batch.full;
    if (batch.leases.length === 0) return 'none';
    const delivery: Delivery = { published: [], refused: [] };
    const outcome = await this.publish({ ...batch, delivery, staying: new Map() }).then(
      () => this.succeed(batch, delivery),
      (error: unknown) => this.fail(error),
    );
    const full = batch.full && outcome !== 'failed';
    const lost = await completeBatch(database, { leases: batch.leases, full }, delivery);
    if (lost > 0)
      log.warn(
        { shards: lost },
        'outbox relay: lease expired while publishing, events may be delivered twice',
      );
    return outcome;
  }

  /** @throws the reason why events of the batch stay */
  private async publish(publishing: Publishing): Promise<void> {
    await this.publishPart(publishing, publishing.events);
    for (const cause of publishing.staying.values()) throw cause;
  }

  /** Publishes events, in halves when the bus refuses one of them, so that only that one is refused. */
  private async publishPart(publishing: Publishing, part: readonly EventRecord[]): Promise<void> {
    const { expiresMs, delivery, staying } = publishing;
    const { bus, publisher } = this.options;
    const events = part.filter((event) => !staying.has(eventKey(event)));
    const [event] = events;
    if (!event) return;
    if (performance.now() >= expiresMs) throw new Error('the lease ran out');
    try {
      const { stored, failure } = await bus.emit(events.map((one) => ({ ...one, publisher })));
      delivery.published.push(...stored);
      if (failure) throw failure;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      if (events.length === 1) return this.refuse(event, error, publishing);
      const half = Math.ceil(events.length / 2);
      await this.publishPart(publishing, events.slice(0, half));
      await this.publishPart(publishing, events.slice(half));
    }
  }

  /**
   * A young event of an unknown type stays for the relays of the next release, which may run already and know
   * the type. Every other refused event is parked, since any bus would refuse it.
   */
  private refuse(event: EventRecord, error: Refusal, { delivery, staying }: Publishing): void {
    const { id, type } = event;
    if (error instanceof UnknownEventType && isYoung(event)) {
      staying.set(eventKey(event), error);
      return;
    }
    delivery.refused.push({ id, cause: error.message });
    this.options.log.error(
      { err: error, event: id, type },
      'outbox relay: event parked, the bus refuses it',
    );
  }

  private succeed({ full }: Batch, { published }: Delivery): BatchOutcome {
    if (published.length > 0) {
      if (this.backoffMs > 0) this.options.log.info('outbox relay: publishing again');
      this.backoffMs = 0;
    }
    return full ? 'full' : 'some';
  }

  /** Logs one warning for each outage. */
  private fail(error: unknown): BatchOutcome {
    const { backoffMaxMs, log } = this.options;
    // While the process stops, the bus may be closed already; the events are published after the next start.
    const isNews = this.backoffMs === 0 && !this.stopping.signal.aborted;
    if (isNews) log.warn({ err: error }, 'outbox relay: publish failed, retrying');
    this.backoffMs = Math.min(backoffMaxMs, Math.max(backoffMinMs, this.backoffMs * 2));
    return 'failed';
  }

  private async pause(ms: number): Promise<void> {
    if (ms <= 0) return;
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
