import type { ChangeBatch, ChangeStep } from './change-ledger.js';
import { ChangeRefused } from './faults.js';
import type { Sync } from './reading.js';

/**
 * Does at the server what was done here: some of it, so that reading goes on. What the server refuses is left; only a
 * broken connection ends it.
 * @returns true if the folders are to be looked at soon, for what became of it
 */
export async function carryOut(sync: Sync): Promise<boolean> {
  const { ledger } = sync;
  const steps = await ledger.change((changing) => ledger.changes.take(changing));
  let isUnknown = false;
  for (const batch of batchesOf(steps)) {
    isUnknown = !(await carry(sync, batch)) || isUnknown;
  }
  return isUnknown;
}

/** Steps that one command does; flags first, since a moved message has another UID. */
function batchesOf(steps: readonly ChangeStep[]): ChangeBatch[] {
  const batches = new Map<string, [ChangeStep, ...ChangeStep[]]>();
  const isPlace = ({ aspect }: ChangeStep): boolean => aspect === 'place';
  const inOrder = [...steps.filter((one) => !isPlace(one)), ...steps.filter(isPlace)];
  for (const step of inOrder) {
    const { folder, uidValidity, added, removed, toPath, isThere } = step;
    const change = isPlace(step) ? [toPath, isThere] : [added, removed];
    const key = JSON.stringify([isPlace(step), folder, uidValidity, change]);
    const batch = batches.get(key);
    if (batch) batch.push(step);
    else batches.set(key, [step]);
  }
  return [...batches.values()];
}

/** @returns false if it is not known what became of it */
async function carry({ remote, ledger }: Sync, batch: ChangeBatch): Promise<boolean> {
  const [{ aspect, added, removed, toPath, isThere, ...place }] = batch;
  const uids = batch.map(({ uid }) => uid);
  try {
    if (aspect !== 'place') {
      const isKnown = await remote.store(place, uids, { add: added, remove: removed });
      if (isKnown) await ledger.change((changing) => ledger.changes.flagged(changing, batch));
      return isKnown;
    }
    if (toPath === null)
      throw new ChangeRefused('folder_missing', 'The account has no such folder.');
    const moved = await remote.move(place, uids, toPath, isThere);
    if (moved) await ledger.change((changing) => ledger.changes.moved(changing, batch, moved));
    return moved?.pairs.filter(([, to]) => to !== null).length === uids.length;
  } catch (error) {
    if (!(error instanceof ChangeRefused)) throw error;
    await ledger.change((changing) => ledger.changes.refused(changing, batch, error));
    return true;
  }
}
