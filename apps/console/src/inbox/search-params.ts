import type { ConversationStatus } from '@postroom/contracts';
import { useParams, useSearch } from '@tanstack/react-router';

/** The views of the inbox, as the address names them. */
export const views = [
  ...['mine', 'unassigned', 'all', 'snoozed', 'sent', 'archived', 'spam', 'trash'],
  'search',
] as const;

export type View = (typeof views)[number];

/** Filters of the list, in the address. */
export interface InboxSearch {
  /** The mailbox alone; all of the member's where it is absent. */
  readonly mailbox?: string;
  readonly team?: string;
  readonly label?: string;
  readonly status?: ConversationStatus;
  /** An address of a member. */
  readonly assignee?: string;
  readonly unread?: boolean;
  readonly sort?: 'oldest' | 'waiting';
  /** The query of the view `search`. */
  readonly q?: string;
  /** The mailbox of the conversation that is open. */
  readonly in?: string;
}

/** The parameters of the address that are of use; any others are left out. */
export function inboxSearchOf(given: Readonly<Record<string, unknown>>): InboxSearch {
  const text = (name: string): string | undefined =>
    typeof given[name] === 'string' || typeof given[name] === 'number'
      ? String(given[name]).slice(0, 500) || undefined
      : undefined;
  const oneOf = <T extends string>(name: string, values: readonly T[]): T | undefined =>
    values.find((value) => value === given[name]);
  const found = {
    ...{ mailbox: text('mailbox'), team: text('team'), label: text('label'), q: text('q') },
    ...{ assignee: text('assignee'), in: text('in') },
    status: oneOf('status', ['open', 'pending', 'closed']),
    sort: oneOf('sort', ['oldest', 'waiting']),
    unread: typeof given.unread === 'boolean' ? given.unread : undefined,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** Views that a search finds: their rows are not told from others by what a row knows. */
export const isSearched = (view: View): boolean => view === 'search' || view === 'sent';

export const isView = (name: string): name is View => (views as readonly string[]).includes(name);

/** The parts of the inbox's address. */
interface InboxAddress {
  readonly view: View;
  /** The conversation that is open. */
  readonly openId: string | null;
  readonly search: InboxSearch;
}

export function useAddress(): InboxAddress {
  const params: unknown = useParams({ strict: false });
  const search: unknown = useSearch({ strict: false });
  const { view = 'all', conversationId = null } = params as AddressParams;
  return { view, openId: conversationId, search: search as InboxSearch };
}

interface AddressParams {
  readonly view?: View;
  readonly conversationId?: string;
}
