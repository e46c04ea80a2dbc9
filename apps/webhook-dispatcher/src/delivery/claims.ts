import { statement, type Database } from '@postroom/persistence';

/** A delivery whose attempt has been recorded, and is to be made now. */
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
  /** The first attempt, for whose end the next event of the resource waits. */
  readonly first: boolean;
  /** A bigint, as text. */
  readonly lease: string;
  /** The attempt was begun by a process that has ended: it has counted, and nothing is to be sent. */
  readonly cut: boolean;
  readonly url: string;
  readonly sealed_secret: string;
  readonly sealed_previous: string | null;
  /** Null when the event is no longer kept. */
  readonly envelope: string | null;
  /** The trace in which the event was recorded. */
  readonly traceparent: string | null;
  /** When the delivery was queued. */
  readonly recorded_at: Date;
  /** Since it was due and its subscription active. */
  readonly waited_ms: number;
}

/** What a subscription has under way in this process, and may have. */
export interface Load {
  readonly tenantId: string;
  readonly subscriptionId: string;
  readonly underWay: number;
  readonly allowed: number;
}

/** Bounds of a claim. */
export interface ClaimLimits {
  readonly deliveries: number;
  /** Under way at once to a subscription that has nothing against it. */
  readonly perSubscription: number;
  readonly perTenant: number;
  readonly leaseMs: number;
}

const takeDeliveries = statement<ClaimedDelivery>(
  'webhooks.take_deliveries',
  'SELECT * FROM take_deliveries($1, $2, $3, $4, $5, $6, $7)',
);

/** Claims deliveries that are due; their attempts are recorded when it resolves. */
export const claim = (
  database: Database,
  { deliveries, perSubscription, perTenant, leaseMs }: ClaimLimits,
  loads: readonly Load[],
): Promise<ClaimedDelivery[]> =>
  database.rows(takeDeliveries, [
    deliveries,
    perSubscription,
    perTenant,
    leaseMs,
    loads.map(({ tenantId, subscriptionId }) => `${tenantId}/${subscriptionId}`),
    loads.map(({ underWay }) => underWay),
    loads.map(({ allowed }) => allowed),
  ]);
