import { basename, dirname } from 'node:path';
import {
  type BusLog,
  createTopics,
  declaredTopics,
  type EventRecord,
  KafkaBus,
} from '@postroom/bus';
import { eventGroups, type EventGroup } from '@postroom/contracts';
import { kafkaBrokers, sharedProductFile } from './config.js';

const consumer = 'event-log';
const silent = (): void => undefined;
const log: BusLog = { debug: silent, info: silent, warn: silent, error: silent };

/** All events that the shared product has published since its start. */
export class EventLog {
  readonly events: EventRecord[] = [];

  private constructor(private readonly bus: KafkaBus) {}

  /** Opens the log of the shared cluster, whose broker other products use too. */
  static async open(): Promise<EventLog> {
    const brokers = (kafkaBrokers() ?? '').split(',');
    // On a shared broker a product's topic prefix is the name of its folder.
    const prefix = basename(dirname(dirname(sharedProductFile())));
    const declared = declaredTopics({ prefix, consumers: [consumer] });
    await createTopics({ brokers }, declared);
    const instance = `${consumer}-${process.pid}`;
    const bus = await KafkaBus.connect({
      ...{ brokers, prefix, instance, declared, log },
      signatures: null,
    });
    const opened = new EventLog(bus);
    await bus.subscribe(consumer, Object.keys(eventGroups) as EventGroup[], (event) => {
      opened.events.push(event);
      return Promise.resolve();
    });
    return opened;
  }

  close(): Promise<void> {
    return this.bus.close();
  }
}
