import type { Conversation, ListedConversation } from '@postroom/contracts';
import { useSyncExternalStore } from 'react';

/** A conversation as lists show it. Its version is not known where a search found it. */
export type Row = Omit<ListedConversation, 'version'> & { readonly version: number | null };

/** A change of a row, to those who keep it in order. */
export interface RowChange {
  readonly before: Row | undefined;
  readonly after: Row;
  /** True if the member made it, so that it shows at once where it belongs. */
  readonly isOwn: boolean;
}

const rows = new Map<string, Row>();
/** Rows that the member is changing: what the server said before its answer is older. */
const held = new Map<string, number>();
const readers = new Set<() => void>();
const keepers = new Set<(changes: readonly RowChange[]) => void>();

export const rowOf = (id: string): Row | undefined => rows.get(id);

/** Takes rows as the server has them; older ones, and those in the middle of a change, are passed over. */
export function putRows(given: readonly Row[]): void {
  const changes: RowChange[] = [];
  for (const after of given) {
    const before = rows.get(after.id);
    if (held.has(after.id) || (before && isOlder(after, before))) continue;
    rows.set(after.id, after);
    changes.push({ before, after, isOwn: false });
  }
  tell(changes);
}

/** A snooze moves no version: of two rows of one version the later counts. */
const isOlder = (row: Row, known: Row): boolean =>
  row.version === null || (known.version !== null && row.version < known.version);

/** Changes a row before, or after, the server has. */
export function patchRow(id: string, patch: Partial<Row>): void {
  const before = rows.get(id);
  if (!before) return;
  const after = { ...before, ...patch };
  rows.set(id, after);
  tell([{ before, after, isOwn: true }]);
}

/** Holds back the server's changes of a row, until the returned function is called. */
export function holdRow(id: string): () => void {
  held.set(id, (held.get(id) ?? 0) + 1);
  return () => {
    const left = (held.get(id) ?? 1) - 1;
    if (left === 0) held.delete(id);
    else held.set(id, left);
  };
}

export function keepRows(keeper: (changes: readonly RowChange[]) => void): () => void {
  keepers.add(keeper);
  return () => {
    keepers.delete(keeper);
  };
}

function tell(changes: readonly RowChange[]): void {
  if (changes.length === 0) return;
  for (const keeper of keepers) keeper(changes);
  for (const reader of readers) reader();
}

export const useRow = (id: string): Row | undefined =>
  useSyncExternalStore(subscribe, () => rows.get(id));

function subscribe(reader: () => void): () => void {
  readers.add(reader);
  return () => {
    readers.delete(reader);
  };
}

/** The part of a whole conversation that lists show. */
export function rowFrom(conversation: Conversation): Row {
  const { messages: _m, messagesTruncated: _t, comments: _c, links: _l, ...some } = conversation;
  const { leasedBy: _b, ...row } = some;
  return row;
}
