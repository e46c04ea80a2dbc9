import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../api/account.js';
import type { InboxState, PickerKind } from './inbox-state.js';
import { belongs, type ListQuery } from './list/list-query.js';
import { useList } from './list/lists.js';
import { rowOf } from './list/rows.js';
import { useSelection } from './list/use-selection.js';
import { isSearched, useAddress, type InboxSearch, type View } from './search-params.js';
import { patchOf, type Change } from './triage/change.js';
import { useTriage } from './triage/use-triage.js';

/** The list and the conversation that the address names, and the ways to go on from there. */
export function useInboxState(pick: (kind: PickerKind) => void): InboxState {
  const { member } = useAccount();
  const { view, openId, search } = useAddress();
  const { in: _, ...filters } = search;
  const query: ListQuery = { ...filters, view, me: member.email };
  const { list, state } = useList(query);
  const [cursor, moveTo] = useCursor(state.ids, openId);
  const selection = useSelection(state.ids);
  const { open, close } = useOpening(query.view, filters);
  const triage = useTriage();
  const targets = targetsOf(selection.ids, openId, cursor);
  const change = (wanted: Change): void => {
    const after = nextOf(state.ids, targets, openId ?? cursor);
    const leaves = targets.some((id) => id === (openId ?? cursor) && leavesBy(query, wanted, id));
    triage(wanted, targets);
    selection.clear();
    if (!leaves) return;
    if (after !== null) moveTo(after);
    if (openId !== null && movesOn(wanted)) {
      if (after === null) close();
      else open(after);
    }
  };
  return {
    query,
    list,
    state,
    openId,
    cursor,
    selection,
    targets,
    moveTo,
    open,
    close,
    change,
    pick,
  };
}

/** The row at the keys: the open one, the one last moved to, else the first. */
function useCursor(
  ids: readonly string[],
  openId: string | null,
): [string | null, (id: string) => void] {
  const [chosen, choose] = useState<string | null>(null);
  const [shownOpen, setShownOpen] = useState(openId);
  if (shownOpen !== openId) {
    setShownOpen(openId);
    if (openId !== null) choose(openId);
  }
  const at = chosen ?? openId;
  return [at !== null && ids.includes(at) ? at : (ids[0] ?? null), choose];
}

function useOpening(view: View, filters: InboxSearch): Pick<InboxState, 'open' | 'close'> {
  const navigate = useNavigate();
  return {
    open: (id) => {
      const mailbox = rowOf(id)?.mailbox;
      void navigate({
        to: '/inbox/$view/$conversationId',
        params: { view, conversationId: id },
        search: { ...filters, ...(mailbox !== undefined && { in: mailbox }) },
      });
    },
    close: () => void navigate({ to: '/inbox/$view', params: { view }, search: filters }),
  };
}

function targetsOf(
  selected: ReadonlySet<string>,
  openId: string | null,
  cursor: string | null,
): readonly string[] {
  if (selected.size > 0) return [...selected];
  const one = openId ?? cursor;
  return one === null ? [] : [one];
}

/** The row after one, or before it, that a change leaves where it is. */
function nextOf(
  ids: readonly string[],
  changed: readonly string[],
  at: string | null,
): string | null {
  const gone = new Set(changed);
  const start = at === null ? -1 : ids.indexOf(at);
  const stays = (id: string): boolean => !gone.has(id);
  return (
    ids.slice(start + 1).find(stays) ?? ids.slice(0, Math.max(0, start)).findLast(stays) ?? null
  );
}

/** True of what ends the work on a conversation; one that is assigned or labelled stays open. */
const movesOn = (change: Change): boolean =>
  ['move', 'snooze', 'unsnooze'].includes(change.action) ||
  (change.action === 'assign' && change.status !== undefined);

function leavesBy(query: ListQuery, change: Change, id: string): boolean {
  const row = rowOf(id);
  if (!row) return false;
  if (isSearched(query.view)) return change.action === 'move' && change.placement !== 'inbox';
  return belongs(query, row) && !belongs(query, { ...row, ...patchOf(change, row) });
}
