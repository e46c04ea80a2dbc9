import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { RecordTooLarge, UnknownEventType, type Bus, type EventRecord } from '@postroom/bus';
import { noticeGroup } from '@postroom/contracts';
import type { Database, Listener } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { onEvents } from './commits.js';
import { Doorbell } from './doorbell.js';
import { claim, settle, type Batch, type Delivery } from './lease.js';
import { outboxChannel } from './outbox-lanes.js';

export interface RelayOptions {
  readonly database: Database;
  readonly listener: Pick<Listener, 'listen'>;
  readonly bus: Pick<Bus, 'emit'>;
  /** The schema whose outbox it empties. */
  readonly schema: string;
  readonly log: Log;
  /** How long lanes stay with a relay that is never heard of again (30 s). */
  readonly leaseMs?: number;
  /** How often it looks without having been woken (1 s). */
  readonly pollMs?: number;
  /** Commits of this time leave together: more of it is less work for the database (50 ms). */
  readonly gatherMs?: number;
  /** Longest wait between two attempts while nothing can be published (5 s). */
  readonly backoffMaxMs?: number;
}

/** Publishes what stands in a schema's outbox. */
export interface Relay {
  /** Finishes the batch under way and gives its lanes back. */
  stop(): Promise<void>;
}

/**
 * Starts publishing a schema's outbox; any number of relays may do it at once. Every event leaves at
 * least once, a resource's events in the order of their sequence. What the bus cannot take now waits,
 * however long; an event that it never takes is parked in its row with the cause.
 */
export const startRelay = (options: RelayOptions): Relay => new OutboxRelay(options);

type Turn = 'full' | 'some' | 'none' | 'failed';

const backoffMinMs = 100;

/** Whether the bus will not take it at any time either. */
const isRefusal = (error: unknown): error is Error =>
  error instanceof UnknownEventType || error instanceof RecordTooLarge;

class OutboxRelay implements Relay {
  private readonly options: Required<RelayOptions>;
  private readonly owner = `${hostname()} ${process.pid}`;
  private readonly bell = new Doorbell();
  private readonly stopping = new AbortController();
  private readonly ended: Promise<void>;
  private readonly unhook: () => void;
  /** Zero while events leave. */
  private backoffMs = 0;
  /** Whether the last batch was full. */
  private busy = false;
  /** Whether notices wait: told once. */
  private unnoticed = false;

  constructor(options: RelayOptions) {
    this.options = {
      leaseMs: 30_000,
      pollMs: 1_000,
      gatherMs: 50,
      backoffMaxMs: 5_000,
      ...options,
    };
    const { database, listener, schema } = options;
    const ring = (): void => {
      this.bell.ring();
    };
    this.unhook = onEvents(database, ring);
    void listener.listen(outboxChannel(schema), ring);
    this.ended = this.run();
  }

  async stop(): Promise<void> {
    this.unhook();
    this.stopping.abort();
    this.bell.ring();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { pollMs, gatherMs } = this.options;
    while (!this.stopping.signal.aborted) {
      const beganMs = performance.now();
      const turn = await this.turn().catch((error: unknown) => this.fail(error));
      if (turn === 'full') continue;
      if (turn === 'none') await this.bell.wait(pollMs);
      const pauseMs = turn === 'failed' ? this.backoffMs : beganMs + gatherMs - performance.now();
      await this.pause(pauseMs);
    }
  }

  /** One batch: leased, published, settled. */
  private async turn(): Promise<Turn> {
    const { database, leaseMs, log } = this.options;
    const batch = await claim(database, this.owner, leaseMs, this.busy ? 'share' : 'all');
    this.busy = batch.full;
    if (batch.leases.length === 0) return 'none';
    const delivery: Delivery = { published: [], refused: [] };
    const isNotice = ({ type }: EventRecord): boolean => noticeGroup(type) !== undefined;
    const events = batch.events.filter((event) => !isNotice(event));
    const turn = await this.publish(batch, events, delivery).then(
      () => this.succeed(batch, delivery),
      (error: unknown) => this.fail(error),
    );
    if (turn !== 'failed') await this.notify(batch, batch.events.filter(isNotice), delivery);
    const full = batch.full && turn !== 'failed';
    const lost = await settle(database, { leases: batch.leases, full }, delivery);
    if (lost > 0) log.warn({ lanes: lost }, 'a lease ran out: events may be delivered twice');
    return turn;
  }

  /** In halves when the bus refuses one of them, so that only that one stays. */
  private async publish(
    batch: Batch,
    events: readonly EventRecord[],
    delivery: Delivery,
  ): Promise<void> {
    if (events.length === 0) return;
    if (performance.now() >= batch.expiresMs) throw new Error('the lease ran out');
    try {
      await this.options.bus.emit(events);
      delivery.published.push(...events.map(({ id }) => id));
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const [event] = events;
      if (event && events.length === 1) {
        this.park(event, error, delivery);
        return;
      }
      const half = Math.ceil(events.length / 2);
      await this.publish(batch, events.slice(0, half), delivery);
      await this.publish(batch, events.slice(half), delivery);
    }
  }

  /** By themselves: in one process nobody may take notices for a moment, and events leave on. */
  private async notify(
    batch: Batch,
    notices: readonly EventRecord[],
    delivery: Delivery,
  ): Promise<void> {
    if (notices.length === 0) return;
    try {
      await this.publish(batch, notices, delivery);
      this.unnoticed = false;
    } catch (error) {
      if (!this.unnoticed) this.options.log.warn({ err: error }, 'notices cannot leave, they wait');
      this.unnoticed = true;
    }
  }

  private park({ id, type }: EventRecord, error: Error, { refused }: Delivery): void {
    refused.push({ id, cause: error.message });
    this.options.log.error({ err: error, event: id, type }, 'event parked: the bus refuses it');
  }

  private succeed({ full }: Batch, { published }: Delivery): Turn {
    if (published.length > 0) {
      if (this.backoffMs > 0) this.options.log.info('events leave again');
      this.backoffMs = 0;
    }
    return full ? 'full' : 'some';
  }

  /** Told once an outage, however many attempts it sees. */
  private fail(error: unknown): Turn {
    const { backoffMaxMs, log } = this.options;
    if (this.backoffMs === 0) log.warn({ err: error }, 'events cannot leave, they wait');
    this.backoffMs = Math.min(backoffMaxMs, Math.max(backoffMinMs, this.backoffMs * 2));
    return 'failed';
  }

  private async pause(ms: number): Promise<void> {
    if (ms <= 0) return;
    await sleep(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }
}
