import { statement, type Database } from '@postroom/persistence';

/** An event that the bus has refused: it waits in the outbox for an operator. */
interface ParkedEvent {
  readonly id: string;
  readonly type: string;
  readonly tenantId: string;
  readonly resource: string;
  readonly sequence: number;
  readonly createdAt: Date;
  /** Why the bus never takes it. */
  readonly refusal: string;
}

const parked = statement<ParkedEvent>(
  'operations.parked_events',
  `SELECT id, type, tenant_id AS "tenantId", resource, sequence, created_at AS "createdAt", refusal
   FROM parked_events($1)`,
);

const release = statement<{ released: number }>(
  'operations.release_parked',
  'SELECT release_parked() AS released',
);

/** The oldest thousand events that the bus has refused, in the order they were made. */
export const listParked = (database: Database): Promise<ParkedEvent[]> =>
  database.rows(parked, [1_000]);

/**
 * Has a service's parked events leave once more; what the bus still refuses is parked again.
 * @returns how many they were
 */
export async function releaseParked(database: Database): Promise<number> {
  const [row] = await database.rows(release, []);
  return row?.released ?? 0;
}

const replay = statement<{ replayed: number }>(
  'operations.replay_published',
  'SELECT replay_published($1) AS replayed',
);

/**
 * Has a service's events leave once more that were published since then, for a broker that has lost them.
 * Their ids stay the same: who consumed one does nothing again.
 * @returns how many they are
 */
export async function replayPublished(database: Database, since: Date): Promise<number> {
  const [row] = await database.rows(replay, [since]);
  return row?.replayed ?? 0;
}
