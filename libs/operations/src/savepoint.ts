import type { Transaction } from '@postroom/persistence';
import { statement } from '@postroom/persistence/statement';

const savepoint = statement<object>('operations.savepoint', 'SAVEPOINT event');
const release = statement<object>('operations.release', 'RELEASE SAVEPOINT event');
const rollBack = statement<object>('operations.roll_back', 'ROLLBACK TO SAVEPOINT event');

/**
 * Runs the statements of `send` in a savepoint. If one fails they are rolled back to it, and the
 * transaction goes on.
 *
 * @returns whether they succeeded
 * @throws when the transaction cannot go on
 */
export async function inSavepoint(
  rows: Transaction['rows'],
  send: () => readonly Promise<unknown>[],
): Promise<boolean> {
  const sent = [rows(savepoint, []), ...send(), rows(release, [])];
  const all = await Promise.allSettled(sent);
  if (all.every(({ status }) => status === 'fulfilled')) return true;
  await rows(rollBack, []);
  return false;
}
