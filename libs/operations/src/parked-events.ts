import { statement, type Database } from '@postroom/persistence';
import type { QueryRunner } from 'typeorm';
import { outboxChannel } from './outbox-lanes.js';
import { lookupFunction } from './tables.js';

/** What an operator needs of the events that the bus has refused, of every tenant. */
export async function addParkedEvents(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`
    -- The oldest that the bus has refused. What they say is not an operator's to read.
    CREATE FUNCTION parked_events(p_limit integer)
    RETURNS TABLE (id text, type text, tenant_id text, resource text, sequence float8,
      created_at timestamptz, refusal text)
    LANGUAGE sql STABLE AS $$
      SELECT o.event_id, o.type, o.tenant_id, o.resource, o.sequence::float8, o.created_at, o.refusal
      FROM outbox o WHERE o.refusal IS NOT NULL ORDER BY o.position LIMIT p_limit
    $$;
    ${lookupFunction(schema, 'parked_events(integer)')}

    -- Has all of them leave once more, and says how many they are; relays are woken.
    CREATE FUNCTION release_parked() RETURNS float8 LANGUAGE plpgsql AS $$
    DECLARE
      v_released bigint;
    BEGIN
      UPDATE outbox SET refusal = NULL WHERE refusal IS NOT NULL;
      GET DIAGNOSTICS v_released = ROW_COUNT;
      IF v_released > 0 THEN PERFORM pg_notify('${outboxChannel(schema)}', ''); END IF;
      RETURN v_released;
    END $$;
    ${lookupFunction(schema, 'release_parked()')}
  `);
}

/** An event that the bus has refused: it waits in the outbox for an operator. */
export interface ParkedEvent {
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
