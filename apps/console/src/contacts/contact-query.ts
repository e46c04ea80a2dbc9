import type { ContactAnswer, ContactItem, ContactList, GroupList } from '@postroom/contracts';
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { accountQuery } from '../api/account.js';
import { api } from '../api/api.js';
import { useStreamEvents } from '../stream/stream.js';

/** The filters of the contacts, in the address. */
export interface ContactSearch {
  readonly book?: string;
  readonly group?: string;
  readonly q?: string;
  /** Likely duplicates instead of the list. */
  readonly show?: 'duplicates' | 'books';
}

export function contactSearchOf(given: Readonly<Record<string, unknown>>): ContactSearch {
  const text = (name: string): string | undefined =>
    typeof given[name] === 'string' || typeof given[name] === 'number'
      ? String(given[name]).slice(0, 500) || undefined
      : undefined;
  const found = {
    ...{ book: text('book'), group: text('group'), q: text('q') },
    show: (['duplicates', 'books'] as const).find((one) => one === given.show),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

interface ContactFilters {
  readonly bookId?: string | undefined;
  readonly group?: string | undefined;
  readonly q?: string | undefined;
}

/** The contacts that match, at most 2,000 of them. */
export const contactsQuery = (filters: ContactFilters) =>
  queryOptions({
    queryKey: ['contacts', 'list', filters] as const,
    queryFn: ({ signal }) => api.get<ContactList>('/v1/contacts', { ...filters }, signal),
    placeholderData: keepPreviousData,
  });

export const groupsQuery = (bookId: string | undefined) =>
  queryOptions({
    queryKey: ['contacts', 'groups', bookId] as const,
    queryFn: ({ signal }) => api.get<GroupList>('/v1/contacts/groups', { bookId }, signal),
  });

export const contactQuery = (id: string) =>
  queryOptions({
    queryKey: ['contacts', 'one', id] as const,
    queryFn: ({ signal }) =>
      api.get<ContactAnswer>(`/v1/contacts/${encodeURIComponent(id)}`, undefined, signal),
    select: ({ contact }) => contact,
  });

/** Reads what is shown again on an event about a contact; once for many, as an import makes them. */
export function useContactsLive(): void {
  const client = useQueryClient();
  useStreamEvents(({ type }) => {
    if (!/^(contact\.|reset$)/.test(type)) return;
    timer ??= setTimeout(() => {
      timer = null;
      void client.invalidateQueries({ queryKey: ['contacts'] });
    }, 250);
  });
}

let timer: ReturnType<typeof setTimeout> | null = null;

/** All that shows contacts or books is asked for anew. */
export function useFreshContacts(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: ['contacts'] });
    await client.invalidateQueries({ queryKey: accountQuery.queryKey });
  };
}

/** The line below the name in a list. */
export const lineOf = ({ emails, organization, phones }: ContactItem): string =>
  [organization, emails[0]?.value ?? phones[0]?.value].filter(Boolean).join(' · ');
