import type { EventRecord } from '@postroom/bus';
import type { OutgoingType } from '@postroom/contracts';
import { statement, type Database } from '@postroom/persistence';

/** The channel on which a schema's relays notify each other that more than one batch is waiting. */
export const outboxChannel = (schema: string): string => `postroom_outbox_${schema}`;

/**
 * Shards of one batch at most. All of them while there is little to do; half of them while more waits
 * than a batch holds, so that another relay finds some.
 */
const shardsMax = { all: 16, share: 8 } as const;

/** Events of one shard in one batch at most. */
const shardEventsMax = 100;

/** A shard, and the token that its owner leased it with. */
interface Lease {
  readonly shard: number;
  /** A bigint, as text. */
  readonly token: string;
}

/** Some shards of an outbox, leased, with their oldest events. */
export interface Batch {
  readonly leases: readonly Lease[];
  /** In the order in which they have to be published. */
  readonly events: readonly EventRecord[];
  /** The end of the leases on the clock of `performance.now()`, estimated early. */
  readonly expiresMs: number;
  /** True if a shard may have more events than the batch holds. */
  readonly full: boolean;
}

/** The outcome of a batch; events in neither list stay in the outbox. */
export interface Delivery {
  readonly published: string[];
  /** Ids of events that the bus will never take, and why. */
  readonly refused: { readonly id: string; readonly cause: string }[];
}

interface LeasedRow {
  readonly shard: number;
  readonly token: string;
  /** Null in the one row of a shard that turned out to be empty. */
  readonly event_id: string | null;
  readonly type: OutgoingType;
  readonly tenant_id: string;
  readonly resource: string;
  readonly envelope: string;
  readonly traceparent: string | null;
}

const leaseOutbox = statement<LeasedRow>(
  'operations.lease_outbox',
  'SELECT * FROM lease_outbox($1, $2, $3, $4)',
);

const completeOutboxBatch = statement<{ owned: number }>(
  'operations.complete_batch',
  'SELECT complete_batch($1, $2, $3, $4, $5, $6) AS owned',
);

/** Leases shards that have events waiting; no leases when there are none. */
export async function leaseBatch(
  database: Database,
  owner: string,
  leaseMs: number,
  extent: keyof typeof shardsMax = 'all',
): Promise<Batch> {
  const expiresMs = performance.now() + leaseMs;
  const limits = [shardsMax[extent], shardEventsMax];
  const rows = await database.rows(leaseOutbox, [owner, leaseMs, ...limits]);
  const leases = new Map<number, Lease & { events: number }>();
  const events: EventRecord[] = [];
  for (const row of rows) {
    const lease = leases.get(row.shard) ?? { shard: row.shard, token: row.token, events: 0 };
    leases.set(row.shard, lease);
    if (row.event_id === null) continue;
    lease.events += 1;
    const { event_id: id, type, tenant_id: tenantId, resource, envelope, traceparent } = row;
    const traced = traceparent !== null && { traceparent };
    events.push({ id, type, tenantId, resource, envelope, ...traced });
  }
  const leased = [...leases.values()];
  const full = leased.some((lease) => lease.events === shardEventsMax);
  return { leases: leased, events, expiresMs, full };
}

/**
 * Moves what was published to `published_events`, parks what was refused and releases the shards, in one commit, as far as
 * this owner still has them. A full batch wakes the other relays.
 * @returns how many shards this owner had lost
 */
export async function completeBatch(
  database: Database,
  { leases, full }: Pick<Batch, 'leases' | 'full'>,
  { published, refused }: Delivery,
): Promise<number> {
  const [row] = await database.rows(completeOutboxBatch, [
    leases.map(({ shard }) => shard),
    leases.map(({ token }) => token),
    published,
    refused.map(({ id }) => id),
    refused.map(({ cause }) => cause),
    full,
  ]);
  return leases.length - (row?.owned ?? 0);
}
