import { type Received, Receiver } from '@postroom/testing';
import type { EventType } from '@postroom/contracts';
import type { Write, WriteKind } from './traffic.js';
import { WebhookTally } from '../webhook-tally.js';

/** The event type of each kind of write. */
const toldAs: Readonly<Record<WriteKind, EventType>> = {
  comment: 'conversation.commented',
  contact: 'contact.created',
  task: 'task.created',
  send: 'message.sent',
  mail: 'conversation.received',
};

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** An endpoint of webhooks that knows which events tell of which write. */
export class EventTally {
  readonly posts = new WebhookTally();
  /** By type of event and marker of a write: ids of the events that came. */
  private readonly events = new Map<string, Set<string>>();

  private constructor(private readonly receiver: Receiver) {
    receiver.answer = (received, response) => {
      receiver.received.length = 0;
      this.add(received);
      response.writeHead(204).end();
    };
  }

  static async start(): Promise<EventTally> {
    return new EventTally(await Receiver.start());
  }

  get url(): string {
    return this.receiver.url();
  }

  /** Writes whose event has not come. */
  untold(writes: readonly Write[]): Write[] {
    return writes.filter((write) => this.eventsOf(write).size === 0);
  }

  /** Writes that more than one event tells of. */
  toldTwice(writes: readonly Write[]): Write[] {
    return writes.filter((write) => this.eventsOf(write).size > 1);
  }

  close(): Promise<void> {
    return this.receiver.close();
  }

  private add(received: Received): void {
    this.posts.add(received);
    const body = received.body.toString();
    const { id, type } = JSON.parse(body) as { id: string; type: string };
    for (const marker of new Set(body.match(uuid))) {
      const key = `${type} ${marker}`;
      this.events.set(key, (this.events.get(key) ?? new Set()).add(id));
    }
  }

  private eventsOf({ kind, marker }: Write): ReadonlySet<string> {
    return this.events.get(`${toldAs[kind]} ${marker}`) ?? new Set();
  }
}
