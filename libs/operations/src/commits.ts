import type { Database } from '@postroom/persistence';

type Wakes = WeakMap<Database, Set<() => void>>;

const events: Wakes = new WeakMap();
const audits: Wakes = new WeakMap();

/**
 * Calls `wake` after each commit of this process that left events in the database's outbox. Within the
 * process, because NOTIFY in every commit has PostgreSQL make them one after the other (docs/adr/0014).
 * @returns how to stop it
 */
export const onEvents = (database: Database, wake: () => void): (() => void) =>
  listen(events, database, wake);

/** Calls `wake` after each commit of this process that left audit records. */
export const onAudit = (database: Database, wake: () => void): (() => void) =>
  listen(audits, database, wake);

/** Wakes the relay: this process has committed events. */
export const eventsCommitted = (database: Database): void => ring(events, database);

/** Wakes the forwarding of audit records: this process has committed some. */
export const auditCommitted = (database: Database): void => ring(audits, database);

function listen(wakes: Wakes, database: Database, wake: () => void): () => void {
  const listening = wakes.get(database) ?? new Set();
  wakes.set(database, listening.add(wake));
  return () => listening.delete(wake);
}

function ring(wakes: Wakes, database: Database): void {
  for (const wake of wakes.get(database) ?? []) wake();
}
