import {
  type BusLog,
  createTopics,
  declaredTopics,
  type EventRecord,
  KafkaBus,
} from '@postroom/bus';
import { eventGroup, type EventType } from '@postroom/contracts';

const consumer = 'faults';
const watched: EventType = 'conversation.commented';

const silent = (): void => undefined;
const log: BusLog = { debug: silent, info: silent, warn: silent, error: silent };

/** The fields of a comment event that the consumer reads. */
interface Commented {
  readonly sequence: number;
  readonly data: { readonly comment: { readonly id: string } };
}

/**
 * A consumer of events with an inbox, like the future webhook dispatcher: an event has its effect
 * once, however often it is delivered. The inbox outlives its consumers.
 */
export class Inbox {
  /** Deliveries, including repeated ones. */
  deliveries = 0;
  /** First deliveries that came before an earlier event of their conversation. */
  disorder = 0;
  private readonly seen = new Set<string>();
  private readonly effects = new Map<string, number>();
  private readonly sequences = new Map<string, number>();

  /** The number of effects of each comment, by the comment's id. */
  get byComment(): ReadonlyMap<string, number> {
    return this.effects;
  }

  take({ id, type, resource, envelope }: EventRecord): Promise<void> {
    if (type !== watched) return Promise.resolve();
    this.deliveries += 1;
    if (this.seen.has(id)) return Promise.resolve();
    this.seen.add(id);
    const { sequence, data } = JSON.parse(envelope) as Commented;
    this.effects.set(data.comment.id, (this.effects.get(data.comment.id) ?? 0) + 1);
    if (sequence < (this.sequences.get(resource) ?? 0)) this.disorder += 1;
    this.sequences.set(resource, sequence);
    return Promise.resolve();
  }
}

/** One member of the consumer group. */
export async function consumeInto(
  inbox: Inbox,
  { brokers, prefix }: { readonly brokers: string; readonly prefix: string },
  instance: string,
): Promise<KafkaBus> {
  const declared = declaredTopics({ prefix, consumers: [consumer] });
  await createTopics({ brokers: brokers.split(',') }, declared);
  const bus = await KafkaBus.connect({
    brokers: brokers.split(','),
    prefix,
    instance: `${consumer}-${instance}`,
    declared,
    log,
    signatures: null,
  });
  const group = eventGroup(watched);
  if (!group) throw new Error(`${watched} has no group`);
  await bus.subscribe(consumer, [group], (event) => inbox.take(event));
  return bus;
}
