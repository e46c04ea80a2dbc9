import type { EventActor, EventSource, InternalEventType } from '@postroom/contracts';
import type { QueryRunner } from 'typeorm';
import { byIndex, lookupFunction, visible } from './tables.js';

/** What is kept of a change for the audit: who did what to what, never what was said. */
export interface AuditRecord {
  readonly id: string;
  /** ISO 8601, UTC, milliseconds. */
  readonly at: string;
  readonly actorType: EventActor['type'];
  readonly actorId: string | null;
  readonly source: EventSource;
  /** The operation's id, or a word of its own for what is no operation. */
  readonly action: string;
  readonly subjectId: string | null;
  readonly requestId: string | null;
}

/** What a service tells the sealer, in the order its records were made. */
export interface AuditRecorded {
  readonly records: readonly AuditRecord[];
}

const eventType: InternalEventType = 'audit.recorded';

/**
 * Makes a schema's audit records a queue, second version of the table: a record is taken out of it
 * once, by tenant and oldest first, so one index has to do, and a change pays for no more.
 */
export async function queueAuditRecords(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`
    DROP INDEX audit_records_time;
    ALTER TABLE audit_records
      ADD COLUMN source text NOT NULL DEFAULT 'app',
      DROP CONSTRAINT audit_records_pkey,
      ADD PRIMARY KEY (tenant_id, id);
    ${visible(schema, 'audit_records', 'SELECT, DELETE')}
  `);
}

/**
 * What a service needs to hand its audit records on: they leave through its outbox, as many as there
 * are in one notice a tenant.
 */
export async function addAuditForwarding(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(`
    CREATE SEQUENCE audit_notices;
    GRANT USAGE ON SEQUENCE audit_notices TO postroom_${schema}_lookup;
    GRANT INSERT ON outbox TO postroom_${schema}_lookup;

    -- Moves the oldest records into the outbox, in one commit, and says how many they were. One at a
    -- time does it; whoever else comes has nothing to do.
    CREATE FUNCTION forward_audit(p_records integer) RETURNS integer LANGUAGE plpgsql AS $$
    DECLARE
      v_moved integer;
    BEGIN
      IF NOT pg_try_advisory_xact_lock(hashtextextended('${schema}.forward_audit', 0)) THEN
        RETURN 0;
      END IF;
      WITH oldest AS (
        SELECT a.tenant_id, a.id FROM audit_records a ORDER BY a.tenant_id, a.id LIMIT p_records
      ), moved AS (
        DELETE FROM audit_records a USING oldest o
        WHERE a.tenant_id = o.tenant_id AND a.id = o.id RETURNING a.*
      ), notices AS (
        INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
        SELECT m.tenant_id, min(m.id), '${eventType}', 'audit', nextval('audit_notices'),
          json_build_object('occurredAt', now(), 'records', json_agg(json_build_object(
            'id', m.id,
            'at', to_char(m.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
            'actorType', m.actor_type, 'actorId', m.actor_id, 'source', m.source,
            'action', m.action, 'subjectId', m.subject_id, 'requestId', m.request_id
          ) ORDER BY m.id))::text
        FROM moved m GROUP BY m.tenant_id
      )
      SELECT count(*) INTO v_moved FROM moved;
      RETURN v_moved;
    END $$;
    ${lookupFunction(schema, 'forward_audit(integer)')}
    ${byIndex('forward_audit(integer)')}
  `);
}
