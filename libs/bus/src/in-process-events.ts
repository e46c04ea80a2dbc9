import { internalEventGroups, type OutgoingGroup } from '@postroom/contracts';
import {
  BusUnavailable,
  type Emitted,
  type EventHandler,
  type EventRecord,
  type Unsubscribe,
} from './bus.js';
import { deliver, type Retry } from './delivery.js';
import { emittedOf } from './emitted.js';
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
  /**
   * Whether every consumer had its effect of an event, by its id, until who emits it has heard: an
   * event that is emitted again meanwhile is not delivered once more.
   */
  private readonly carrying = new Map<string, Promise<boolean>>();

  constructor(private readonly retry: Retry) {}

  /**
   * An event is stored when every consumer has handled it: memory is no store, and until then it
   * belongs in the outbox. One that takes longer than a second does not hold up the others; it is
   * told of as failed, and emitted again finds its delivery under way or done. A notice that nobody
   * takes is never set aside: it fails, and stays in the outbox.
   */
  async emit(events: readonly EventRecord[]): Promise<Emitted> {
    const outgoing = events.map((event) => ({
      id: event.id,
      group: groupOf(event),
      record: checkSize(encodeEvent(event)),
    }));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), handledWithinMs);
    });
    const handled = outgoing.map(async ({ id, group, record }) => {
      const carrying = this.carrying.get(id) ?? this.carry(group, record);
      this.carrying.set(id, carrying);
      // What fails unforeseen is forgotten as what ends: it is carried anew when it is emitted again.
      carrying.catch(() => this.carrying.delete(id));
      const outcome = await Promise.race([carrying, late]);
      if (outcome === 'late') throw new BusUnavailable('deadline');
      this.carrying.delete(id);
      if (!outcome) throw new BusUnavailable('no-service');
    });
    const outcomes = await Promise.allSettled(handled);
    clearTimeout(timer);
    return emittedOf(events, outcomes);
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

  /** To every consumer of its group. */
  private async carry(group: OutgoingGroup, record: BusRecord): Promise<boolean> {
    const consumers = [...this.consumers.values()].filter(({ groups }) => groups.includes(group));
    const isNotice = Object.hasOwn(internalEventGroups, group);
    if (consumers.length === 0) return !isNotice;
    const effects = await Promise.all(
      consumers.map((consumer) => this.carryTo(consumer, record, isNotice)),
    );
    return effects.every(Boolean);
  }

  /** False when the consumer was stopped between two attempts, or could not take a notice. */
  private async carryTo(
    consumer: Consumer,
    record: BusRecord,
    isNotice: boolean,
  ): Promise<boolean> {
    const { name, handler, order, underWay, stopping } = consumer;
    const event = decodeEvent(record);
    underWay.begin();
    try {
      const parked = await order.run(eventKey(event), () =>
        deliver(event, handler, this.retry, { stopped: stopping.signal }),
      );
      if (parked && isNotice) return false;
      if (parked) this.deadLetters.push({ consumer: name, event, ...parked });
      return true;
    } catch {
      return false;
    } finally {
      underWay.end();
    }
  }
}
