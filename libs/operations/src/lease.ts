import type { EventRecord } from '@postroom/bus';
import type { OutgoingType } from '@postroom/contracts';
import { statement, type Database } from '@postroom/persistence';

/**
 * Lanes of one batch at most. All of them while there is little to do; half of them while more waits
 * than a batch holds, so that another relay finds some.
 */
const lanesMax = { all: 16, share: 8 } as const;

/** Events of one lane in one batch at most. */
const laneEventsMax = 100;

/** A lane, and the token that its owner had it with. */
interface Lease {
  readonly lane: number;
  /** A bigint, as text. */
  readonly token: string;
}

/** Some lanes of an outbox, leased, with their oldest events. */
export interface Batch {
  readonly leases: readonly Lease[];
  /** In the order they have to leave in. */
  readonly events: readonly EventRecord[];
  /** When the leases run out, on the clock of `performance.now()`; rather early than late. */
  readonly expiresMs: number;
  /** Whether a lane may have had more than the batch holds. */
  readonly full: boolean;
}

/** What became of a batch's events; those named in neither list wait on. */
export interface Delivery {
  readonly published: string[];
  /** Ids of events that the bus will never take, and why. */
  readonly refused: { readonly id: string; readonly cause: string }[];
}

interface ClaimedRow {
  readonly lane: number;
  readonly token: string;
  /** Null in the one row of a lane that turned out to be empty. */
  readonly event_id: string | null;
  readonly type: OutgoingType;
  readonly tenant_id: string;
  readonly resource: string;
  readonly envelope: string;
}

const claimOutbox = statement<ClaimedRow>(
  'operations.claim_outbox',
  'SELECT * FROM claim_outbox($1, $2, $3, $4)',
);

const settleOutbox = statement<{ held: number }>(
  'operations.settle_outbox',
  'SELECT settle_outbox($1, $2, $3, $4, $5, $6) AS held',
);

/** Leases lanes that have events waiting; no leases when there are none. */
export async function claim(
  database: Database,
  owner: string,
  leaseMs: number,
  extent: keyof typeof lanesMax = 'all',
): Promise<Batch> {
  const expiresMs = performance.now() + leaseMs;
  const limits = [lanesMax[extent], laneEventsMax];
  const rows = await database.rows(claimOutbox, [owner, leaseMs, ...limits]);
  const leases = new Map<number, Lease & { events: number }>();
  const events: EventRecord[] = [];
  for (const row of rows) {
    const lease = leases.get(row.lane) ?? { lane: row.lane, token: row.token, events: 0 };
    leases.set(row.lane, lease);
    if (row.event_id === null) continue;
    lease.events += 1;
    const { event_id: id, type, tenant_id: tenantId, resource, envelope } = row;
    events.push({ id, type, tenantId, resource, envelope });
  }
  const leased = [...leases.values()];
  const full = leased.some((lease) => lease.events === laneEventsMax);
  return { leases: leased, events, expiresMs, full };
}

/**
 * Deletes what was published, parks what was refused and gives the lanes back, in one commit, as far
 * as they are still this owner's. A full batch wakes the other relays.
 * @returns how many lanes were not any more
 */
export async function settle(
  database: Database,
  { leases, full }: Pick<Batch, 'leases' | 'full'>,
  { published, refused }: Delivery,
): Promise<number> {
  const [row] = await database.rows(settleOutbox, [
    leases.map(({ lane }) => lane),
    leases.map(({ token }) => token),
    published,
    refused.map(({ id }) => id),
    refused.map(({ cause }) => cause),
    full,
  ]);
  return leases.length - (row?.held ?? 0);
}
