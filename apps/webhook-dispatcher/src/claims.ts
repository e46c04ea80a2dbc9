import { statement, type Database } from '@postroom/persistence';
import { deliveriesPerWorkspace, limits } from './limits.js';

/** A delivery whose attempt has been counted, and is to be made now. */
export interface ClaimedDelivery {
  readonly week: number;
  readonly tenant_id: string;
  readonly id: string;
  readonly subscription_id: string;
  readonly event_id: string;
  readonly redelivery: number;
  /** The event's type under the name that the subscription asks for. */
  readonly name: string;
  readonly resource: string;
  /** From 1 on. */
  readonly attempt: number;
  /** The first attempt: the next event of the resource waits until it ends. */
  readonly first: boolean;
  /** A bigint, as text. */
  readonly lease: string;
  /** The attempt was started by a process that ended: it counts, and nothing is sent. */
  readonly cut: boolean;
  readonly url: string;
  readonly sealed_secret: string;
  /** Those that sign too, for their day. */
  readonly sealed_previous: string | null;
  readonly sealed_oldest: string | null;
  /** The key whose agent it is for; null of a subscription of the workspace. */
  readonly key_id: string | null;
  /** The last event before those that a key's subscription had still to deliver. */
  readonly cursor_event: string | null;
  /** Null when the event is no longer kept. */
  readonly envelope: string | null;
  /** The trace in which the event was recorded. */
  readonly traceparent: string | null;
  /** When the delivery was queued. */
  readonly recorded_at: Date;
  /** Time since it was due and its subscription active. */
  readonly waited_ms: number;
  /** When the attempt began, or the one that was cut. */
  readonly started_at: Date;
}

/** An attempt of 8 s, and time to record how it ended. */
export const leaseMs = 13_000;

const takeDeliveries = statement<ClaimedDelivery>(
  'webhooks.take_deliveries',
  'SELECT * FROM take_deliveries($1, $2, $3, $4, $5, $6, $7)',
);

/** Claims deliveries that are due; their attempts are counted when it resolves. */
export const claimDeliveries = (
  database: Database,
  limit: number,
  loads: readonly Load[],
): Promise<ClaimedDelivery[]> =>
  database.rows(takeDeliveries, [
    limit,
    perSubscription.first,
    deliveriesPerWorkspace,
    leaseMs,
    loads.map(({ key }) => key),
    loads.map(({ underWay }) => underWay),
    loads.map(({ allowed }) => allowed),
  ]);

const putBack = statement<object>('webhooks.put_back', 'SELECT put_back($1, $2, $3, $4, $5, $6)');

/** Puts a claimed delivery back as if it had not been claimed; it is claimed again after the wait, or a longer one. */
export async function putBackDelivery(
  database: Database,
  delivery: ClaimedDelivery,
  waitMs: number,
): Promise<void> {
  const { week, event_id, subscription_id, redelivery, lease } = delivery;
  await database.rows(putBack, [week, event_id, subscription_id, redelivery, lease, waitMs]);
}

/** The deliveries that a subscription has in progress in this process, and may have. */
interface Load {
  /** `tenant/subscription` */
  readonly key: string;
  underWay: number;
  allowed: number;
}

/**
 * Deliveries in progress to a subscription: at first, after as many successes, and after a failure. The
 * first limit is low, since an endpoint that hangs is recognised only when its time is up.
 */
const perSubscription = { first: 4, most: 48, failing: 2 } as const;

/** Subscriptions that are remembered while they have nothing in progress. */
const rememberedMax = 1_000;

type SubscriptionKey = Pick<ClaimedDelivery, 'tenant_id' | 'subscription_id'>;

/**
 * The deliveries that each subscription has in progress in this process. One that fails gets few at a
 * time until it succeeds again, so that a dead endpoint takes no slot that others need.
 */
export class Loads {
  private readonly loads = new Map<string, Load>();

  /** Deliveries in progress. */
  total = 0;

  deliveryStarted(delivery: SubscriptionKey): void {
    this.loadOf(delivery).underWay += 1;
    this.total += 1;
    limits.deliveries.tally.used += 1;
  }

  deliveryEnded(delivery: SubscriptionKey, succeeded: boolean): void {
    const load = this.loadOf(delivery);
    load.underWay -= 1;
    const { first, most, failing } = perSubscription;
    load.allowed = succeeded ? Math.min(most, Math.max(first, load.allowed + 1)) : failing;
    this.total -= 1;
    limits.deliveries.tally.used -= 1;
    this.remember(load);
  }

  /** Every subscription that has deliveries in progress, or may have more or fewer than at first. */
  all(): readonly Load[] {
    return [...this.loads.values()];
  }

  /**
   * The subscriptions whose own deliveries or failures make them wait.
   * @returns a predicate over the state of this moment
   */
  holdingUp(): (delivery: SubscriptionKey) => boolean {
    const { first } = perSubscription;
    const held = new Set<string>();
    for (const { key, underWay, allowed } of this.loads.values()) {
      if (underWay > 0 || allowed < first) held.add(key);
    }
    return (delivery) => held.has(keyOf(delivery));
  }

  /** The subscriptions whose deliveries ended last are remembered longest. */
  private remember(load: Load): void {
    this.loads.delete(load.key);
    this.loads.set(load.key, load);
    if (this.loads.size <= rememberedMax) return;
    const oldest = this.all().find(({ underWay }) => underWay === 0);
    if (oldest) this.loads.delete(oldest.key);
  }

  private loadOf(delivery: SubscriptionKey): Load {
    const key = keyOf(delivery);
    const load = this.loads.get(key) ?? { key, underWay: 0, allowed: perSubscription.first };
    this.loads.set(key, load);
    return load;
  }
}

const keyOf = ({ tenant_id, subscription_id }: SubscriptionKey): string =>
  `${tenant_id}/${subscription_id}`;
