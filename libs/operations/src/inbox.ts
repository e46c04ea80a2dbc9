import type { EventRecord } from '@postroom/bus';
import { statement, type Database } from '@postroom/persistence';
import type { QueryRunner } from 'typeorm';
import type { Changing } from './context.js';
import type { MaintenanceJob } from './maintenance.js';
import { lookupFunction, tenantPolicy, visible } from './tables.js';

/** The table of a service that consumes events: which ones have had their effect, by consumer. */
export async function createInbox(runner: QueryRunner, schema: string): Promise<void> {
  await runner.query(inbox + inboxFunctions(schema));
}

const inbox = `
  CREATE TABLE inbox (
    tenant_id text COLLATE "C" NOT NULL,
    consumer text COLLATE "C" NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    consumed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, consumer, event_id)
  );
  CREATE INDEX inbox_age ON inbox (consumed_at);
  ${tenantPolicy('inbox')}
`;

const inboxFunctions = (schema: string): string => `
  -- Sets the tenant and takes the event, in one trip. False: it had its effect. A concurrent delivery
  -- of the same event is waited for.
  CREATE FUNCTION take_event(p_tenant text, p_consumer text, p_event text)
  RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    INSERT INTO inbox (tenant_id, consumer, event_id) VALUES (p_tenant, p_consumer, p_event)
      ON CONFLICT DO NOTHING;
    RETURN FOUND;
  END $$;

  -- Forgets events of every tenant that no bus keeps long enough to deliver again, a batch at a time.
  CREATE FUNCTION forget_inbox() RETURNS bigint LANGUAGE sql AS $$
    WITH old AS (
      SELECT tenant_id, consumer, event_id FROM inbox
      WHERE consumed_at < now() - interval '7 days' LIMIT 1000
    ), gone AS (
      DELETE FROM inbox i USING old
      WHERE i.tenant_id = old.tenant_id AND i.consumer = old.consumer AND i.event_id = old.event_id
      RETURNING 1
    ) SELECT count(*) FROM gone $$;
  ${visible(schema, 'inbox', 'SELECT, DELETE')}
  ${lookupFunction(schema, 'forget_inbox()')}
`;

const takeEvent = statement<{ taken: boolean }>(
  'operations.take_event',
  'SELECT take_event($1, $2, $3) AS taken',
);

/** Forgets consumed events after seven days; the housekeeping of a service that has an inbox. */
export const purgeInbox: MaintenanceJob = statement(
  'operations.forget_inbox',
  'SELECT forget_inbox() AS purged',
);

/** What the effect of an event has: one transaction under the event's tenant. */
export type Consuming = Pick<Changing, 'tenantId' | 'manager' | 'rows'>;

/**
 * Makes at-least-once delivery one effect: the event is marked as consumed in the transaction of what
 * `work` writes. A failure keeps neither, so a later delivery does it.
 *
 * @param consumer the consumer group's name; each has its own effect of an event
 * @returns whether the work was done; false when an earlier delivery had done it
 * @throws what the work throws
 */
export function consumeOnce(
  database: Database,
  consumer: string,
  { id, tenantId }: Pick<EventRecord, 'id' | 'tenantId'>,
  work: (consuming: Consuming) => Promise<void>,
): Promise<boolean> {
  return database.transaction(
    {
      begin: (rows) => rows(takeEvent, [tenantId, consumer, id]),
      commit: () => [],
    },
    async ({ manager, rows }, [event]) => {
      if (!event?.taken) return false;
      await work({
        tenantId,
        manager,
        rows: (statement, values) => rows(statement, [tenantId, ...values]),
      });
      return true;
    },
  );
}
