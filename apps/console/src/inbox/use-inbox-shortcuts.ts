import { useEffect, useState } from 'react';
import { useAccount } from '../api/account.js';
import { useShortcuts, type Shortcut } from '../shell/shortcuts.js';
import type { InboxState } from './inbox-state.js';
import { focusList } from './list/conversation-listbox.js';
import { focusSearch } from './list/search-field.js';
import { rowOf } from './list/rows.js';

/** The keys of the inbox; none while a picker is open, whose field they are for. */
export function useInboxShortcuts(inbox: InboxState, isPicking: boolean): void {
  const { member } = useAccount();
  const isAtList = useIsListFocused();
  const { change, pick, selection, cursor, openId } = inbox;
  const at = openId ?? cursor;
  const triage: Shortcut[] = [
    { keys: 'e', label: 'Archive, or move back to the inbox', run: () => change(archive(at)) },
    { keys: 'a', label: 'Assign', run: () => pick('assign') },
    {
      ...{ keys: 'm', label: 'Assign to me' },
      run: () => change({ action: 'assign', assignee: member.email }),
    },
    { keys: 'l', label: 'Label', run: () => pick('label') },
    { keys: 's', label: 'Status', run: () => pick('status') },
    { keys: 'h', label: 'Snooze', run: () => pick('snooze') },
    {
      ...{ keys: 'u', label: 'Mark unread, or read' },
      run: () => change({ action: 'read', unread: !(at !== null && rowOf(at)?.unread) }),
    },
    { keys: '!', label: 'Spam, or not spam', run: () => change(between(at, 'spam')) },
    { keys: '#', label: 'Move to trash, or back', run: () => change(between(at, 'trash')) },
  ];
  const moving: Shortcut[] = [
    { keys: 'j', label: 'Next conversation', run: () => step(inbox, 1) },
    { keys: 'k', label: 'Previous conversation', run: () => step(inbox, -1) },
    { keys: 'x', label: 'Select', run: () => cursor !== null && selection.toggle(cursor) },
    { keys: 'J', label: 'Select, and go down', run: () => extend(inbox, 1) },
    { keys: 'K', label: 'Select, and go up', run: () => extend(inbox, -1) },
    { keys: '/', label: 'Search the mail', run: focusSearch },
    ...(isAtList && cursor !== null
      ? [{ keys: 'Enter', label: 'Open', run: () => inbox.open(cursor) }]
      : []),
    ...(openId === null && selection.ids.size > 0
      ? [{ keys: 'Escape', label: 'Select nothing', run: selection.clear }]
      : []),
  ];
  useShortcuts(isPicking ? [] : [...moving, ...triage]);
}

const archive = (id: string | null) =>
  ({
    action: 'move',
    placement: id !== null && rowOf(id)?.placement !== 'inbox' ? 'inbox' : 'archived',
  }) as const;

const between = (id: string | null, placement: 'spam' | 'trash') =>
  ({
    action: 'move',
    placement: id !== null && rowOf(id)?.placement === placement ? 'inbox' : placement,
  }) as const;

/** Moves the cursor, which Enter opens then; where a conversation is open, its neighbour opens. */
function step({ state, cursor, openId, moveTo, open }: InboxState, by: 1 | -1): void {
  const at = state.ids.indexOf(openId ?? cursor ?? '');
  // An open conversation that has left the list stood just before the cursor.
  const from = at < 0 && cursor !== null ? state.ids.indexOf(cursor) - (by === 1 ? 1 : 0) : at;
  const next = state.ids[from + by];
  if (next === undefined) return;
  moveTo(next);
  if (openId === null) focusList();
  else open(next);
}

function extend({ state, cursor, moveTo, selection }: InboxState, by: 1 | -1): void {
  if (cursor === null) return;
  const next = state.ids[state.ids.indexOf(cursor) + by];
  if (selection.ids.size === 0) selection.toggle(cursor);
  if (next === undefined) return;
  moveTo(next);
  selection.extendTo(next);
}

/** Enter belongs to whatever has the focus: it opens a conversation only from the list. */
function useIsListFocused(): boolean {
  const [isFocused, setIsFocused] = useState(false);
  useEffect(() => {
    const look = (): void =>
      setIsFocused(document.activeElement?.matches('[data-inbox-list], body') ?? false);
    look();
    addEventListener('focusin', look);
    addEventListener('focusout', look);
    return () => {
      removeEventListener('focusin', look);
      removeEventListener('focusout', look);
    };
  }, []);
  return isFocused;
}
