import type { ClaimedDelivery, Load } from './claims.js';

/**
 * Under way at once to a subscription: at first, when it has answered as often, and after a failure. It
 * begins with little since an endpoint that hangs is not known before its time is up.
 */
export const perSubscription = { first: 4, most: 48, failing: 2 } as const;
/** To the subscriptions of a workspace together. */
export const perTenant = 256;

/** Subscriptions that are remembered while they have nothing under way. */
const rememberedMax = 1_000;

type Place = Pick<ClaimedDelivery, 'tenant_id' | 'subscription_id'>;

interface Entry {
  readonly tenantId: string;
  readonly subscriptionId: string;
  underWay: number;
  allowed: number;
}

/**
 * What each subscription has under way in this process. One that fails gets little at a time until it
 * succeeds again, so that a dead endpoint takes no place that others need.
 */
export class Loads {
  private readonly entries = new Map<string, Entry>();

  /** Deliveries under way. */
  total = 0;

  begin(delivery: Place): void {
    this.entryOf(delivery).underWay += 1;
    this.total += 1;
  }

  end(delivery: Place, succeeded: boolean): void {
    const entry = this.entryOf(delivery);
    entry.underWay -= 1;
    const { first, most, failing } = perSubscription;
    entry.allowed = succeeded ? Math.min(most, Math.max(first, entry.allowed + 1)) : failing;
    this.total -= 1;
    this.remember(keyOf(delivery), entry);
  }

  /** Of all that have something under way, or may have more or less than at first. */
  all(): Load[] {
    return [...this.entries.values()];
  }

  /**
   * Whether deliveries of a subscription wait for itself: something of it is under way, or it has failed last.
   * @returns what says so of how it is now, also later
   */
  holdingUp(): (delivery: Place) => boolean {
    const { first } = perSubscription;
    const held = new Set<string>();
    for (const [key, { underWay, allowed }] of this.entries) {
      if (underWay > 0 || allowed < first) held.add(key);
    }
    return (delivery) => held.has(keyOf(delivery));
  }

  /** Those that ended something last are remembered longest. */
  private remember(key: string, entry: Entry): void {
    this.entries.delete(key);
    this.entries.set(key, entry);
    if (this.entries.size <= rememberedMax) return;
    const oldest = [...this.entries].find(([, { underWay }]) => underWay === 0);
    if (oldest) this.entries.delete(oldest[0]);
  }

  private entryOf(delivery: Place): Entry {
    const key = keyOf(delivery);
    const { tenant_id: tenantId, subscription_id: subscriptionId } = delivery;
    const allowed = perSubscription.first;
    const found = this.entries.get(key) ?? { tenantId, subscriptionId, underWay: 0, allowed };
    this.entries.set(key, found);
    return found;
  }
}

const keyOf = ({ tenant_id, subscription_id }: Place): string => `${tenant_id}/${subscription_id}`;
