import type { Account } from '@postroom/contracts';
import { useAccount } from '../../api/account.js';
import { offerUndo, tellFailure } from '../../ui/notices.js';
import { rowOf, type Row } from '../list/rows.js';
import { inverseOf, isDone, type Change } from './change.js';
import { sentenceOf } from './words.js';
import { Contested, writeMany, writeOne, type Refused } from './write.js';

/** Conversations of a bulk change, at most. */
export const selectedMax = 100;

/** Changes conversations, and offers to undo it. */
export function useTriage(): (change: Change, ids: readonly string[]) => void {
  const account = useAccount();
  return (change, ids) => triage(change, ids, account);
}

function triage(change: Change, ids: readonly string[], account: Account): void {
  const rows = ids
    .flatMap((id) => rowOf(id) ?? [])
    .filter((row) => canWrite(account, row.mailbox) && !isDone(change, row))
    .slice(0, selectedMax);
  const [first] = rows;
  if (!first) return;
  if (rows.length === 1) changeOne(change, first, account);
  else void changeMany(change, rows, account);
}

export const canWrite = ({ mailboxes }: Account, mailbox: string): boolean =>
  mailboxes.some(({ address, access }) => address === mailbox && access === 'write');

function changeOne(change: Change, row: Row, account: Account): void {
  const { undo, done } = writeOne(change, row);
  offerUndo(sentenceOf(change, [row], account), () => {
    const now = rowOf(row.id);
    if (now) writeOne(undo, now).done.catch((error: unknown) => tellFailure(error));
  });
  done.catch((error: unknown) => {
    const retry = (): void => triage(change, [row.id], account);
    tellFailure(error instanceof Contested ? new Error(contestOf(error, account)) : error, retry);
  });
}

/** The state that the colleague made of it. */
function contestOf({ now }: Contested, account: Account): string {
  const to = account.members.find(({ email }) => email === now.assignee)?.name ?? now.assignee;
  return (
    `“${now.subject}” was changed meanwhile, so nothing was done. ` +
    `It is ${now.status}, in ${now.placement === 'inbox' ? 'the inbox' : now.placement}, ` +
    `assigned to ${to ?? 'nobody'}.`
  );
}

async function changeMany(change: Change, rows: readonly Row[], account: Account): Promise<void> {
  // Many of them are undone by the same change.
  const undone = Map.groupBy(rows, (row) => JSON.stringify(inverseOf(change, row)));
  offerUndo(sentenceOf(change, rows, account), () => {
    for (const [undo, some] of undone) {
      const now = some.flatMap(({ id }) => rowOf(id) ?? []);
      void written.then(() => writeMany(JSON.parse(undo) as Change, now)).catch(tellFailure);
    }
  });
  const written = writeMany(change, rows);
  try {
    tellRefused(await written, change, account);
  } catch (error) {
    tellFailure(error, () =>
      triage(
        change,
        rows.map(({ id }) => id),
        account,
      ),
    );
  }
}

function tellRefused(refused: readonly Refused[], change: Change, account: Account): void {
  if (refused.length === 0) return;
  const codes = [...new Set(refused.map(({ code }) => code))].join(', ');
  tellFailure(new Error(`${refused.length} could not be changed: ${codes}.`), () =>
    triage(
      change,
      refused.map(({ row }) => row.id),
      account,
    ),
  );
}

/** Marks as read or unread, without a word. */
export function mark(id: string, unread: boolean): void {
  const row = rowOf(id);
  if (!row || row.unread === unread) return;
  writeOne({ action: 'read', unread }, row).done.catch(() => undefined);
}
