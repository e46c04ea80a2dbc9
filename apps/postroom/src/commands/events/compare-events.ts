import { attemptsMax, commentAlias } from '@postroom/contracts';

/** An event as a service's outbox has it. */
export interface OutgoingEvent {
  readonly id: string;
  readonly type: string;
  readonly resource: string;
  readonly sequence: number;
  readonly service: string;
  /** Its state in the outbox: waiting for the bus, refused by it, or taken. */
  readonly state: 'waiting' | 'parked' | 'published';
}

/** An event as the dispatcher's feed has it. */
export interface RecordedEvent {
  readonly id: string;
  readonly type: string;
  readonly resource: string;
  readonly sequence: number;
  readonly recordedAtMs: number;
  /** The one subscription that a test was for. */
  readonly onlyFor: string | null;
}

/** A subscription as it is now. */
export interface Subscription {
  readonly id: string;
  readonly events: readonly string[];
  readonly status: string;
  /** Since when it has been sent events under the same settings. */
  readonly sameSinceMs: number;
}

/** The last delivery of an event to a subscription. */
export interface LastDelivery {
  readonly eventId: string;
  readonly subscriptionId: string;
  readonly status: 'pending' | 'succeeded' | 'failed';
  readonly attempts: number;
  readonly error: string | null;
}

/** All that is known of a workspace's events. */
export interface EventsOfWorkspace {
  readonly outgoing: readonly OutgoingEvent[];
  readonly recorded: readonly RecordedEvent[];
  readonly subscriptions: readonly Subscription[];
  readonly deliveries: readonly LastDelivery[];
}

/** An event that did not reach what it should have, and why. */
export interface Finding {
  readonly event: string;
  readonly type: string;
  readonly subscription: string | null;
  readonly finding: string;
}

export interface Verdict {
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

/** Says which events did not reach the feed or a subscription that asks for them, and why. */
export function compareEvents(known: EventsOfWorkspace): Verdict {
  const findings = [...lost(known), ...gaps(known), ...undelivered(known)];
  const { outgoing, recorded, deliveries } = known;
  const count = (status: LastDelivery['status']): number =>
    deliveries.filter((one) => one.status === status).length;
  return {
    findings,
    counts: {
      published: outgoing.filter(({ state }) => state === 'published').length,
      recorded: recorded.length,
      succeeded: count('succeeded'),
      failed: count('failed'),
      pending: count('pending'),
      findings: findings.length,
    },
  };
}

const reasons = {
  waiting: 'waits in the outbox of',
  parked: 'was refused by the bus and is parked in the outbox of',
  published: 'is not in the feed, though it was published by',
} as const;

function lost({ outgoing, recorded }: EventsOfWorkspace): Finding[] {
  const inFeed = new Set(recorded.map(({ id }) => id));
  return outgoing
    .filter(({ id }) => !inFeed.has(id))
    .map(({ id: event, type, state, service }) => ({
      event,
      type,
      subscription: null,
      finding: `${reasons[state]} ${service}`,
    }));
}

/** Sequences of a resource have no gap and no repeat, among what was recorded. */
function gaps({ recorded }: EventsOfWorkspace): Finding[] {
  const byResource = Map.groupBy(recorded, ({ resource }) => resource);
  return [...byResource.values()].flatMap((events) =>
    events.flatMap(({ id: event, type, sequence, resource }, index) => {
      const before = events[index - 1]?.sequence;
      if (before === undefined || sequence === before + 1) return [];
      const finding = `has sequence ${sequence} of ${resource} after ${before}`;
      return [{ event, type, subscription: null, finding }];
    }),
  );
}

function undelivered({ recorded, subscriptions, deliveries }: EventsOfWorkspace): Finding[] {
  const keyOf = (event: string, subscription: string): string => `${event} ${subscription}`;
  const made = new Map(deliveries.map((one) => [keyOf(one.eventId, one.subscriptionId), one]));
  return subscriptions.flatMap((subscription) =>
    recorded.flatMap((event) => {
      const delivery = made.get(keyOf(event.id, subscription.id));
      const finding = delivery ? faultOf(delivery) : missing(event, subscription);
      const { id, type } = event;
      return finding ? [{ event: id, type, subscription: subscription.id, finding }] : [];
    }),
  );
}

function faultOf({ status, attempts, error }: LastDelivery): string | null {
  if (attempts > attemptsMax) return `had ${attempts} attempts`;
  if (status === 'pending') return `waits to be delivered, after ${attempts} attempts`;
  const why = error === null ? 'the event is no longer kept, or the subscription has ended' : error;
  return status === 'failed' ? `failed after ${attempts} attempts: ${why}` : null;
}

/** Only where the subscription has asked for it ever since: what it asked for earlier is not known. */
function missing(event: RecordedEvent, subscription: Subscription): string | null {
  const { events, status, sameSinceMs } = subscription;
  if (status === 'disabled' || event.recordedAtMs < sameSinceMs) return null;
  const names = event.type === 'conversation.commented' ? [event.type, commentAlias] : [event.type];
  const asksFor = events.length === 0 || names.some((name) => events.includes(name));
  const isMeant = event.onlyFor === null ? asksFor : event.onlyFor === subscription.id;
  return isMeant ? 'has no delivery' : null;
}
