import { InFlight, KeyedMutex } from '@postroom/concurrency';
import { internalEventGroups, type OutgoingGroup } from '@postroom/contracts';
import {
  BusUnavailable,
  type EmitResult,
  type EventHandler,
  type EventRecord,
  UnknownEventType,
  type Unsubscribe,
} from './bus.js';
import { beforeDeadline } from './deadline.js';
import { deliver, type Retry } from './delivery.js';
import { decodeEvent, emitResult, encodeEvent, eventKey, groupOf } from './event-record.js';
import { type BusRecord, checkSize } from './bus-record.js';
import { publishes } from './rights.js';

/** An event that a consumer could not handle. */
export interface DeadLetter {
  readonly consumer: string;
  readonly event: EventRecord;
  /** The rejection of its last attempt. */
  readonly cause: unknown;
  readonly attempts: number;
}

interface Consumer {
  readonly name: string;
  readonly groups: readonly OutgoingGroup[];
  readonly handler: EventHandler;
  readonly perResource: KeyedMutex;
  readonly inFlight: InFlight;
  readonly stopping: AbortController;
}

/** Consumers by their name, with what they consume. */
export type ExpectedConsumers = Readonly<
  Record<string, { readonly groups: readonly OutgoingGroup[] }>
>;

const handledWithinMs = 1_000;

/**
 * The events of a single process. Nothing is stored for a consumer that is neither expected nor subscribed.
 * What an expected one would miss, while its service starts or stops, is not handled and stays in the outbox.
 */
export class InProcessEvents {
  readonly deadLetters: DeadLetter[] = [];
  private readonly consumers = new Map<string, Consumer>();
  /**
   * Deliveries by event id, each with whether every consumer has handled the event, until the emitter
   * has the result: an event that is emitted again in the meantime is not delivered twice.
   */
  private readonly deliveries = new Map<string, Promise<boolean>>();

  constructor(
    private readonly retry: Retry,
    private readonly expected: ExpectedConsumers,
  ) {}

  /**
   * An event counts as stored when every consumer has handled it: memory is no store, and until then it
   * belongs in the outbox. An event that takes longer than a second does not delay the others; it is
   * reported as failed, and when it is emitted again its delivery is in flight or has ended. An
   * internal event that is not handled is never dead-lettered: it fails, and stays in the outbox.
   */
  async emit(events: readonly EventRecord[]): Promise<EmitResult> {
    const outgoing = events.map((event) => ({
      ...{ id: event.id, publisher: event.publisher },
      group: permittedGroupOf(event),
      record: checkSize(encodeEvent(event)),
    }));
    const deadlineMs = Date.now() + handledWithinMs;
    const handled = outgoing.map(async ({ id, group, record, publisher }) => {
      const delivery = this.deliveries.get(id) ?? this.deliver(group, record, publisher);
      this.deliveries.set(id, delivery);
      // After an unforeseen failure the event is delivered again when it is emitted again.
      delivery.catch(() => this.deliveries.delete(id));
      const isHandled = await beforeDeadline(delivery, deadlineMs);
      this.deliveries.delete(id);
      if (!isHandled) throw new BusUnavailable('no-service');
    });
    return emitResult(events, await Promise.allSettled(handled));
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
      perResource: new KeyedMutex(),
      inFlight: new InFlight(),
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
    await consumer.inFlight.none();
  }

  /** Delivers an event to every consumer of its group; true when all have handled it. */
  private async deliver(
    group: OutgoingGroup,
    record: BusRecord,
    publisher: EventRecord['publisher'],
  ): Promise<boolean> {
    if (this.isMissing(group)) return false;
    const consumers = [...this.consumers.values()].filter(({ groups }) => groups.includes(group));
    const isInternal = Object.hasOwn(internalEventGroups, group);
    if (consumers.length === 0) return !isInternal;
    const handled = await Promise.all(
      consumers.map((consumer) =>
        this.deliverTo(
          consumer,
          { ...decodeEvent(record), ...(publisher && { publisher }) },
          isInternal,
        ),
      ),
    );
    return handled.every(Boolean);
  }

  private isMissing(group: OutgoingGroup): boolean {
    return Object.entries(this.expected).some(
      ([name, { groups }]) => groups.includes(group) && !this.consumers.has(name),
    );
  }

  /** False when the consumer was stopped between two attempts, or could not handle an internal event. */
  private deliverTo(consumer: Consumer, event: EventRecord, isInternal: boolean): Promise<boolean> {
    const { name, handler, perResource, inFlight, stopping } = consumer;
    return inFlight.track(async () => {
      try {
        const failed = await perResource.runInOrder(eventKey(event), () =>
          deliver(event, handler, this.retry, { stopped: stopping.signal }),
        );
        if (failed && isInternal) return false;
        if (failed) this.deadLetters.push({ consumer: name, event, ...failed });
        return true;
      } catch {
        return false;
      }
    });
  }
}

/** @throws UnknownEventType also for a type that the service which publishes it has none of */
function permittedGroupOf({ type, publisher }: EventRecord): OutgoingGroup {
  const group = groupOf({ type });
  if (publisher !== undefined && !publishes(publisher, group))
    throw new UnknownEventType(`${type} of ${publisher}`);
  return group;
}
