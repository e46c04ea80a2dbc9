import { setTimeout as sleep } from 'node:timers/promises';
import { noticeGroup, type OutgoingGroup } from '@postroom/contracts';
import { BusUnavailable, type EventHandler, type EventRecord, type Unsubscribe } from './bus.js';
import { deliver, type Retry } from './delivery.js';
import type { BusRecord } from './envelope.js';
import { decodeEvent, encodeEvent, eventKey, groupOf } from './event-record.js';
import { InFlight } from './in-flight.js';
import { Order } from './order.js';
import { checkSize } from './record-size.js';

/** An event that a consumer could not handle. */
export interface DeadLetter {
  readonly consumer: string;
  readonly event: EventRecord;
  /** What its handler last rejected with. */
  readonly cause: unknown;
  readonly attempts: number;
}

interface Consumer {
  readonly name: string;
  readonly groups: readonly OutgoingGroup[];
  readonly handler: EventHandler;
  readonly order: Order;
  readonly underWay: InFlight;
  readonly stopping: AbortController;
}

const handledWithinMs = 1_000;

/**
 * The events of a single process. Nothing is kept for a consumer that is not subscribed: subscribe
 * before anything is emitted.
 */
export class InProcessEvents {
  readonly deadLetters: DeadLetter[] = [];
  private readonly consumers = new Map<string, Consumer>();

  constructor(private readonly retry: Retry) {}

  /**
   * Resolves when every consumer has handled the events. Memory is no store, so until then they
   * belong in the outbox; but an event that is tried again and again does not hold up those after it
   * for longer than a second. A notice is done when its consumer has it, and not before.
   *
   * @throws BusUnavailable when a notice has no consumer now, or one that fails
   */
  async emit(events: readonly EventRecord[]): Promise<void> {
    const notices = events.filter(({ type }) => noticeGroup(type));
    if (notices.length > 0) await this.hand(notices);
    await this.spread(events.filter(({ type }) => !noticeGroup(type)));
  }

  /** No retries of our own: the outbox has them still. */
  private async hand(notices: readonly EventRecord[]): Promise<void> {
    const records = notices.map((event) => [event, checkSize(encodeEvent(event))] as const);
    for (const [event, record] of records) {
      const consumers = this.consumersOf(event);
      if (consumers.length === 0) throw new BusUnavailable('no-service');
      const handed = consumers.map(async ({ handler, underWay }) => {
        underWay.begin();
        try {
          await handler(decodeEvent(record));
        } finally {
          underWay.end();
        }
      });
      await Promise.all(handed).catch((cause: unknown) => {
        throw new BusUnavailable('no-service', { cause });
      });
    }
  }

  private async spread(events: readonly EventRecord[]): Promise<void> {
    const outgoing = events.map((event) => ({
      consumers: this.consumersOf(event),
      record: checkSize(encodeEvent(event)),
    }));
    const handled = outgoing.flatMap(({ consumers, record }) =>
      consumers.map((consumer) => this.carry(consumer, record)),
    );
    if (handled.length === 0) return;
    const enough = new AbortController();
    const waited = sleep(handledWithinMs, undefined, { signal: enough.signal });
    await Promise.race([Promise.all(handled), waited.catch(() => undefined)]);
    enough.abort();
  }

  private consumersOf(event: EventRecord): Consumer[] {
    const group = groupOf(event);
    return [...this.consumers.values()].filter(({ groups }) => groups.includes(group));
  }

  subscribe(
    name: string,
    groups: readonly OutgoingGroup[],
    handler: EventHandler,
  ): Promise<Unsubscribe> {
    if (this.consumers.has(name)) {
      return Promise.reject(new Error(`${name} is subscribed already`));
    }
    const consumer: Consumer = {
      name,
      groups,
      handler,
      order: new Order(),
      underWay: new InFlight(),
      stopping: new AbortController(),
    };
    this.consumers.set(name, consumer);
    return Promise.resolve(() => this.stop(consumer));
  }

  async close(): Promise<void> {
    await Promise.all([...this.consumers.values()].map((consumer) => this.stop(consumer)));
  }

  private async stop(consumer: Consumer): Promise<void> {
    if (this.consumers.get(consumer.name) === consumer) this.consumers.delete(consumer.name);
    consumer.stopping.abort();
    await consumer.underWay.none();
  }

  private async carry(consumer: Consumer, record: BusRecord): Promise<void> {
    const { name, handler, order, underWay, stopping } = consumer;
    const event = decodeEvent(record);
    underWay.begin();
    try {
      const parked = await order.run(eventKey(event), () =>
        deliver(event, handler, this.retry, stopping.signal),
      );
      if (parked) this.deadLetters.push({ consumer: name, event, ...parked });
    } catch {
      // Stopped between two attempts; with the process its memory goes.
    } finally {
      underWay.end();
    }
  }
}
