import { FairQueue, KeyedMutex } from '@postroom/concurrency';
import { internalEventGroup, outgoingTopic, type OutgoingGroup } from '@postroom/contracts';
import type { Kafka } from 'kafkajs';
import type { BusLog, EventHandler, EventRecord } from '../bus.js';
import { deliver, type Retry } from '../delivery.js';
import { decodeEvent, eventKey } from '../event-record.js';
import type { ClientOptions } from './client.js';
import { Consumption, type Arrival, type Bounds } from './consumption.js';
import { deadHeader, DeadLetters } from './dead-letters.js';
import { readRecord } from './record.js';

export interface SubscribedOptions extends Bounds {
  readonly kafka: Kafka;
  readonly client: ClientOptions;
  readonly log: BusLog;
  readonly prefix: string;
  readonly consumer: string;
  readonly groups: readonly OutgoingGroup[];
  readonly handler: EventHandler;
  readonly retry: Retry;
  readonly handlersMax: number;
}

/** A part of all places: one resource's trouble leaves the rest to the others. */
const shareOfOneKey = 1 / 8;

/** A consumer of events. */
export class Subscription {
  private readonly consumption: Consumption;
  private readonly perResource = new KeyedMutex();
  private readonly handlers: FairQueue;
  private readonly deadLetters: DeadLetters;
  private readonly stopping = new AbortController();
  /** Events taken and not done, by key. */
  private readonly taken = new Map<string, number>();

  constructor(private readonly options: SubscribedOptions) {
    const { prefix, consumer, groups, handlersMax } = options;
    this.handlers = new FairQueue({ capacity: handlersMax });
    this.deadLetters = new DeadLetters(options);
    this.consumption = new Consumption({
      ...options,
      group: `${prefix}.${consumer}.events`,
      topics: groups.map((group) => outgoingTopic(group, prefix)),
      consume: (arrival) => this.take(arrival),
    });
  }

  get life() {
    return this.consumption.life;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.deadLetters.giveUpSoon();
    await this.consumption.stop();
    await this.deadLetters.close();
  }

  /** An event is done after its effect, or when it is parked; stopped before, it comes again. */
  private async take(arrival: Arrival): Promise<void> {
    let event: EventRecord;
    try {
      const record = readRecord(arrival);
      const only = record.headers[deadHeader.replayFor];
      if (only !== undefined && only !== this.options.consumer) return;
      event = decodeEvent(record);
    } catch (error) {
      return this.deadLetters.park(arrival, error);
    }
    const key = eventKey(event);
    this.count(key, 1);
    await this.perResource
      .run(key, () => this.deliver(event, arrival))
      .finally(() => this.count(key, -1));
  }

  private count(key: string, more: 1 | -1): void {
    const count = (this.taken.get(key) ?? 0) + more;
    if (count > 0) this.taken.set(key, count);
    else this.taken.delete(key);
  }

  private async deliver(event: EventRecord, arrival: Arrival): Promise<void> {
    const { handler, retry, underWayMax } = this.options;
    const keyMax = underWayMax * shareOfOneKey;
    const isPressed = (): boolean => (this.taken.get(eventKey(event)) ?? 0) > keyMax;
    // A place is held while the handler runs, not between its attempts: one key's trouble is its own.
    const inPlace: EventHandler = (record) => this.handlers.run(() => handler(record));
    // A notice is never set aside: what it tells of is told nowhere else.
    const isNotice = internalEventGroup(event.type) !== undefined;
    const parked = await deliver(
      event,
      inPlace,
      isNotice ? { ...retry, attemptsMax: Infinity } : retry,
      { stopped: this.stopping.signal, ...(!isNotice && { isPressed }) },
    );
    if (parked) await this.deadLetters.park(arrival, parked.cause, parked.attempts);
  }
}
