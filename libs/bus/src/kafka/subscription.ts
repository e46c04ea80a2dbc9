import { KeyedMutex } from '@postroom/concurrency';
import { Budget } from '@postroom/limits';
import { internalEventGroup, type OutgoingGroup } from '@postroom/contracts';
import { outgoingTopic } from '../topics.js';
import type { Kafka } from 'kafkajs';
import {
  UnverifiedRecord,
  type BusLog,
  type EventHandler,
  type EventRecord,
  type RecordSignatures,
} from '../bus.js';
import { deliver, type Retry } from '../delivery.js';
import type { BusRecord } from '../bus-record.js';
import { decodeEvent, eventKey } from '../event-record.js';
import type { ClientOptions } from './client.js';
import { GroupMember, type ConsumedRecord, type ConsumerLimits } from './group-member.js';
import { limits } from '../limits.js';
import { deadHeader, DeadLetters } from './dead-letters.js';
import { publisherOf, readRecord } from './record.js';

export interface SubscriptionOptions extends ConsumerLimits {
  readonly kafka: Kafka;
  readonly client: ClientOptions;
  readonly log: BusLog;
  readonly prefix: string;
  readonly consumer: string;
  readonly groups: readonly OutgoingGroup[];
  readonly handler: EventHandler;
  readonly retry: Retry;
  readonly signatures: RecordSignatures | null;
  readonly onUnverified: () => void;
}

/** Share of the records in flight that may wait behind one failing event; the rest is left to others. */
const shareOfOneKey = 1 / 8;

/** Consumes groups of events under a consumer's name. */
export class Subscription {
  private readonly member: GroupMember;
  private readonly perResource = new KeyedMutex();
  private readonly handlers = new Budget(limits.eventHandlers);
  private readonly deadLetters: DeadLetters;
  private readonly stopping = new AbortController();
  /** Events in flight by key. */
  private readonly inFlight = new Map<string, number>();

  constructor(private readonly options: SubscriptionOptions) {
    const { prefix, consumer, groups } = options;
    this.deadLetters = new DeadLetters(options);
    this.member = new GroupMember({
      ...options,
      group: `${prefix}.${consumer}.events`,
      topics: groups.map((group) => outgoingTopic(group, prefix)),
      consume: (record) => this.consume(record),
    });
  }

  get health() {
    return this.member.health;
  }

  get group(): string {
    return this.member.group;
  }

  get lagMs(): number {
    return this.member.lagMs;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.deadLetters.stopSoon();
    await this.member.stop();
    await this.deadLetters.close();
  }

  /** Resolves when the event is handled or dead-lettered; an event that is stopped before is redelivered. */
  private async consume(consumed: ConsumedRecord): Promise<void> {
    let event: EventRecord;
    try {
      const record = readRecord(consumed);
      const only = record.headers[deadHeader.replayFor];
      if (only !== undefined && only !== this.options.consumer) return;
      event = this.verified(decodeEvent(record), { ...consumed, ...record });
    } catch (error) {
      return this.park(consumed, error);
    }
    const key = eventKey(event);
    this.count(key, 1);
    await this.perResource
      .runInOrder(key, () => this.deliver(event, consumed))
      .finally(() => this.count(key, -1));
  }

  /** @throws UnverifiedRecord */
  private verified(event: EventRecord, record: ConsumedRecord & BusRecord): EventRecord {
    const { prefix, signatures } = this.options;
    if (signatures === null) return event;
    const placed = { ...record, key: String(record.key ?? '') };
    return { ...event, publisher: publisherOf(event, placed, prefix, signatures) };
  }

  private park(consumed: ConsumedRecord, cause: unknown, attempts?: number): Promise<void> {
    if (cause instanceof UnverifiedRecord) this.options.onUnverified();
    return this.deadLetters.store(consumed, cause, attempts);
  }

  private count(key: string, more: 1 | -1): void {
    const count = (this.inFlight.get(key) ?? 0) + more;
    if (count > 0) this.inFlight.set(key, count);
    else this.inFlight.delete(key);
  }

  private async deliver(event: EventRecord, consumed: ConsumedRecord): Promise<void> {
    const { handler, retry, recordsInFlightMax } = this.options;
    const keyMax = recordsInFlightMax * shareOfOneKey;
    const isPressed = (): boolean => (this.inFlight.get(eventKey(event)) ?? 0) > keyMax;
    // Between two attempts an event occupies no handler, so that a failing key delays only itself.
    const bounded: EventHandler = (record) =>
      this.handlers.runInTurn({ workspace: record.tenantId }, () => handler(record));
    // An internal event that fails is never dead-lettered: its data are nowhere else.
    const isInternal = internalEventGroup(event.type) !== undefined;
    const failed = await deliver(
      event,
      bounded,
      isInternal ? { ...retry, attemptsMax: Infinity } : retry,
      { stopped: this.stopping.signal, ...(!isInternal && { isPressed }) },
    );
    if (failed) await this.park(consumed, failed.cause, failed.attempts);
  }
}
