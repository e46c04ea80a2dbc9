import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, type Client } from 'pg';

/** PostgreSQL's codes of a statement that took too long, and of a deadlock. */
const gaveUp = new Set(['57014', '40P01']);

const firstWaitMs = 100;
const pauseMs = 500;
/** Total time of the attempts: long enough for a backup of many tables to end. */
const tryForMs = 300_000;

/** Some table was in use for as long as it was waited for; the transaction has failed. */
export class TablesInUse extends Error {
  override readonly name = 'TablesInUse';
}

/**
 * Locks all tables of a schema until the transaction ends. A migration that locks one table after the other would
 * meet the transactions of services that work meanwhile in another order, and PostgreSQL would end one of the two
 * as a deadlock. PostgreSQL looks for one after `deadlock_timeout`; this gives up before.
 *
 * @param waitMs for all tables together
 * @throws TablesInUse
 */
export async function lockTables(client: Client, schema: string, waitMs: number): Promise<void> {
  const { rows } = await client.query<{ tables: string | null; waitMsMax: number }>(
    `SELECT string_agg(format('%I.%I', $1::text, c.relname), ', ' ORDER BY c.oid) AS tables,
       extract(epoch FROM current_setting('deadlock_timeout')::interval)::float8 * 800 AS "waitMsMax"
     FROM pg_class c
     WHERE c.relnamespace = to_regnamespace($1::text) AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
    [schema],
  );
  const [found] = rows;
  if (!found?.tables) return;
  const timeoutMs = Math.ceil(Math.min(waitMs, found.waitMsMax));
  await client.query(`SET LOCAL statement_timeout = ${timeoutMs}`);
  await client.query(`LOCK TABLE ${found.tables} IN ACCESS EXCLUSIVE MODE`).catch(inUse);
  await client.query('SET LOCAL statement_timeout TO DEFAULT');
}

function inUse(error: unknown): never {
  if (!(error instanceof DatabaseError) || !gaveUp.has(error.code ?? '')) throw error;
  throw new TablesInUse('a transaction uses its tables for long: see pg_stat_activity', {
    cause: error,
  });
}

/**
 * Does again, for five minutes, what could not lock its tables in time, with a pause in which others go on.
 * @param work is given how long it may wait for its tables
 */
export async function whenTablesAreFree(work: (waitMs: number) => Promise<void>): Promise<void> {
  const beganMs = performance.now();
  for (let waitMs = firstWaitMs; ; waitMs *= 2) {
    try {
      return await work(waitMs);
    } catch (error) {
      const isOver = performance.now() - beganMs > tryForMs;
      if (!(error instanceof TablesInUse) || isOver) throw error;
    }
    await sleep(pauseMs);
  }
}
