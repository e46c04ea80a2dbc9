import { createContext, useContext } from 'react';
import type { ConversationList, ListState } from './list/conversation-list.js';
import type { ListQuery } from './list/list-query.js';
import type { Selection } from './list/use-selection.js';
import type { Change } from './triage/change.js';

/** A list of choices that is open over the page. */
export type PickerKind = 'assign' | 'label' | 'status' | 'snooze' | 'move';

/** The inbox as its parts share it. */
export interface InboxState {
  readonly query: ListQuery;
  readonly list: ConversationList;
  readonly state: ListState;
  /** The conversation that is open. */
  readonly openId: string | null;
  /** The row that the keys are at. */
  readonly cursor: string | null;
  readonly selection: Selection;
  /** The conversations that a command is about: the selected ones, the open one, or the one at the cursor. */
  readonly targets: readonly string[];
  readonly moveTo: (id: string) => void;
  readonly open: (id: string) => void;
  readonly close: () => void;
  /** Changes the targets; the next conversation opens where the work on the open one ends. */
  readonly change: (change: Change) => void;
  readonly pick: (kind: PickerKind) => void;
}

export const InboxContext = createContext<InboxState | null>(null);

export function useInbox(): InboxState {
  const state = useContext(InboxContext);
  if (!state) throw new Error('This stands inside the inbox only.');
  return state;
}
