import type { Database } from '@postroom/persistence';

const listeners = new WeakMap<Database, Set<() => void>>();

/**
 * Calls `wake` after each commit of this process that left events in the database's outbox. Within the
 * process, because NOTIFY in every commit has PostgreSQL make them one after the other (docs/adr/0014).
 * @returns how to stop it
 */
export function onEvents(database: Database, wake: () => void): () => void {
  const wakes = listeners.get(database) ?? new Set();
  listeners.set(database, wakes.add(wake));
  return () => wakes.delete(wake);
}

/** Tells that events of this process stand in the database's outbox. */
export function eventsCommitted(database: Database): void {
  for (const wake of listeners.get(database) ?? []) wake();
}
