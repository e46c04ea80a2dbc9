import { Avatar, Box, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import type { ContactItem, ContactList as ContactPage } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, useState, type ReactElement } from 'react';
import { useShortcuts } from '../shell/shortcuts.js';
import { Icon } from '../ui/icons.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import { contactsQuery, lineOf, type ContactSearch } from './contact-query.js';

interface ListProps {
  readonly search: ContactSearch;
  readonly openId: string | undefined;
  readonly onOpen: (id: string) => void;
}

const searchId = 'contact-search';

/** The contacts that match, with the search above them. */
export function ContactList({ search, openId, onOpen }: ListProps): ReactElement {
  const { book, group, q } = search;
  const { data, error, refetch } = useQuery(contactsQuery({ bookId: book, group, q }));
  return (
    <div className="contacts-list">
      <Box p="sm">
        <Title order={1} size="h4" pb={6}>
          Contacts{' '}
          <Text span c="dimmed" size="sm">
            {data?.total.toLocaleString('en')}
          </Text>
        </Title>
        <SearchField search={search} />
      </Box>
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Found {...{ list: data, isFiltered: Boolean(q ?? group), openId, onOpen }} />
      )}
    </div>
  );
}

function Found(props: {
  list: ContactPage | undefined;
  isFiltered: boolean;
  openId: string | undefined;
  onOpen: (id: string) => void;
}): ReactElement {
  const { list, isFiltered, openId, onOpen } = props;
  if (!list) return <Loading />;
  const { contacts, truncated } = list;
  if (contacts.length === 0)
    return (
      <EmptyState icon="contacts" title="Nobody here">
        {isFiltered ? 'No contact matches. Try fewer words.' : 'Write one, or import a file.'}
      </EmptyState>
    );
  return (
    <>
      <Rows {...{ contacts, openId, onOpen }} />
      {truncated && (
        <Text size="xs" c="dimmed" p="sm">
          The first {contacts.length.toLocaleString('en')} are shown: search for others.
        </Text>
      )}
    </>
  );
}

function SearchField({ search }: { search: ContactSearch }): ReactElement {
  const navigate = useNavigate();
  const [text, setText] = useState(search.q ?? '');
  const find = useDebouncedCallback((value: string) => {
    const { q: _, ...rest } = search;
    const q = value.trim();
    void navigate({ to: '.', replace: true, search: q === '' ? rest : { ...rest, q } });
  }, 200);
  useShortcuts([
    { keys: '/', label: 'Find contacts', run: () => document.getElementById(searchId)?.focus() },
  ]);
  return (
    <TextInput
      {...{ id: searchId, size: 'sm', type: 'search', placeholder: 'Find contacts', value: text }}
      {...{ 'aria-label': 'Find contacts', leftSection: <Icon name="search" size={15} /> }}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        find(value);
      }}
      onKeyDown={({ key, currentTarget }) => key === 'Escape' && currentTarget.blur()}
    />
  );
}

const rowHeight = 56;

function Rows(props: {
  contacts: readonly ContactItem[];
  openId: string | undefined;
  onOpen: (id: string) => void;
}): ReactElement {
  const { contacts, openId, onOpen } = props;
  const frame = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- nothing here is memoized
  const rows = useVirtualizer({
    ...{ count: contacts.length, getScrollElement: () => frame.current, overscan: 8 },
    estimateSize: () => rowHeight,
  });
  const place = contacts.findIndex(({ id }) => id === openId);
  const move = (by: number): void => {
    const next = Math.min(contacts.length - 1, Math.max(0, place + by));
    rows.scrollToIndex(next);
    const contact = contacts[next];
    if (contact) onOpen(contact.id);
  };
  useShortcuts([
    { keys: 'j', label: 'Next contact', run: () => move(1) },
    { keys: 'k', label: 'Previous contact', run: () => move(-1) },
  ]);
  return (
    <div
      {...{ ref: frame, className: 'contacts-rows', role: 'listbox', tabIndex: 0 }}
      {...{ 'aria-label': 'Contacts', 'aria-activedescendant': place < 0 ? undefined : openId }}
      onKeyDown={(event) => {
        const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        move(by);
      }}
    >
      <div role="presentation" style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const contact = contacts[index];
          return (
            contact && (
              <Row
                key={contact.id}
                {...{ contact, start, isOpen: contact.id === openId, onOpen }}
                {...{ place: index + 1, count: contacts.length }}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

const Row = (props: {
  contact: ContactItem;
  start: number;
  place: number;
  count: number;
  isOpen: boolean;
  onOpen: (id: string) => void;
}): ReactElement => {
  const { contact, start, place, count, isOpen, onOpen } = props;
  return (
    <div
      {...{ id: contact.id, role: 'option', className: 'contact-row', 'aria-selected': isOpen }}
      {...{ 'aria-posinset': place, 'aria-setsize': count }}
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => onOpen(contact.id)}
    >
      <Avatar name={contact.displayName} variant="default" size={34} aria-hidden />
      <Box miw={0}>
        <Text size="sm" fw={500} truncate>
          <bdi>{contact.displayName}</bdi>
        </Text>
        <Text size="xs" c="dimmed" truncate>
          <bdi>{lineOf(contact)}</bdi>
        </Text>
      </Box>
    </div>
  );
};
