import { statement, type Database } from '@postroom/persistence';

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
