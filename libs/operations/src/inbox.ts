import type { EventRecord } from '@postroom/bus';
import { statement, type Database } from '@postroom/persistence';
import type { Changing } from './context.js';

const takeEvent = statement<{ taken: boolean }>(
  'operations.take_event',
  'SELECT take_event($1, $2, $3) AS taken',
);

/** The transaction that an event has its effect in, under the event's tenant. */
export type Consuming = Pick<Changing, 'tenantId' | 'manager' | 'rows'>;

/**
 * Makes at-least-once delivery one effect: the event is marked as consumed in the transaction that `work` writes
 * in. If it fails, both are rolled back, and a later delivery tries again.
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
    tenantId,
  );
}
