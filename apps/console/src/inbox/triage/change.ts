import type { ConversationStatus, Placement } from '@postroom/contracts';
import type { Row } from '../list/rows.js';

/** A change of a conversation that can be undone, as the API names it. */
export type Change =
  | { readonly action: 'move'; readonly placement: Placement }
  | { readonly action: 'read'; readonly unread: boolean }
  | {
      readonly action: 'assign';
      readonly assignee?: string | null;
      readonly teamId?: string | null;
      readonly status?: ConversationStatus;
    }
  | {
      readonly action: 'labels';
      readonly add: readonly string[];
      readonly remove: readonly string[];
    }
  | { readonly action: 'snooze'; readonly until: string }
  | { readonly action: 'unsnooze' };

/** The fields of a row after the change. */
export function patchOf(change: Change, row: Row): Partial<Row> {
  const { action, ...fields } = change;
  switch (change.action) {
    case 'labels':
      return {
        labels: [...new Set([...row.labels, ...change.add])].filter(
          (label) => !change.remove.includes(label),
        ),
      };
    case 'snooze':
      return { snoozedUntil: change.until };
    case 'unsnooze':
      return { snoozedUntil: null };
    default:
      return fields as Partial<Row>;
  }
}

/** The change that brings a row back to what it is. */
export function inverseOf(change: Change, row: Row): Change {
  switch (change.action) {
    case 'move':
      return { action: 'move', placement: row.placement };
    case 'read':
      return { action: 'read', unread: row.unread };
    case 'assign':
      return { action: 'assign', ...pick(row, patchOf(change, row)) };
    case 'labels':
      return {
        action: 'labels',
        add: change.remove.filter((label) => row.labels.includes(label)),
        remove: change.add.filter((label) => !row.labels.includes(label)),
      };
    default:
      return row.snoozedUntil === null
        ? { action: 'unsnooze' }
        : { action: 'snooze', until: row.snoozedUntil };
  }
}

/** The fields of a row that the patch names. */
const pick = (row: Row, patch: Partial<Row>): Partial<Row> =>
  Object.fromEntries(Object.keys(patch).map((field) => [field, row[field as keyof Row]]));

/** True if the row has all of it already. */
export function isDone(change: Change, row: Row): boolean {
  const patch = patchOf(change, row);
  return JSON.stringify(pick(row, patch)) === JSON.stringify(patch);
}

/** True if a colleague changed, meanwhile, what the change is about. */
export const isContested = (change: Change, seen: Row, now: Row): boolean => {
  if (change.action === 'labels' || change.action === 'read') return false;
  const patch = patchOf(change, seen);
  const isSame = JSON.stringify(pick(seen, patch)) === JSON.stringify(pick(now, patch));
  return !isSame || seen.lastMessageId !== now.lastMessageId;
};
