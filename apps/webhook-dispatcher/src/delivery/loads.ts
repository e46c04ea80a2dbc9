import type { ClaimedDelivery, Load } from './claims.js';

/** Under way at once to a subscription: one that answers, and one whose last attempt failed. */
export const perSubscription = { usual: 16, failing: 2 } as const;
/** To the subscriptions of a workspace together. */
export const perTenant = 96;

/** Failing subscriptions that are remembered. */
const failingMax = 10_000;

type Place = Pick<ClaimedDelivery, 'tenant_id' | 'subscription_id'>;

interface Entry {
  readonly tenantId: string;
  readonly subscriptionId: string;
  underWay: number;
  isFailing: boolean;
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
    entry.isFailing = !succeeded;
    this.total -= 1;
    const isIdle = entry.underWay === 0 && succeeded;
    if (isIdle || this.entries.size > failingMax) this.entries.delete(keyOf(delivery));
  }

  /** Of all that have something under way or fail. */
  all(): Load[] {
    return [...this.entries.values()].map(({ isFailing, ...load }) => ({
      ...load,
      allowed: isFailing ? perSubscription.failing : perSubscription.usual,
    }));
  }

  private entryOf(delivery: Place): Entry {
    const key = keyOf(delivery);
    const { tenant_id: tenantId, subscription_id: subscriptionId } = delivery;
    const found = this.entries.get(key) ?? {
      tenantId,
      subscriptionId,
      underWay: 0,
      isFailing: false,
    };
    this.entries.set(key, found);
    return found;
  }
}

const keyOf = ({ tenant_id, subscription_id }: Place): string => `${tenant_id}/${subscription_id}`;
