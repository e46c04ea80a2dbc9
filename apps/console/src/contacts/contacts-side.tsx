import { Button, Group, Menu, NavLink, Select, Text } from '@mantine/core';
import type { AddressBook, BookPage } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api, urlOf } from '../api/api.js';
import { Icon } from '../ui/icons.js';
import { MoreMenu } from '../ui/more-menu.js';
import { BookDialogs, type BookDialog } from './book-dialogs.js';
import { groupsQuery, type ContactSearch } from './contact-query.js';

/** Books and groups; administrators keep the books here. */
export function ContactsSide(props: { search: ContactSearch; onNew: () => void }): ReactElement {
  const { search, onNew } = props;
  const { member, addressBooks } = useAccount();
  const [dialog, setDialog] = useState<BookDialog | null>(null);
  const isAdmin = member.role === 'admin';
  const { data: kept } = useQuery({
    queryKey: ['contacts', 'books'],
    queryFn: ({ signal }) => api.get<BookPage>('/address-books', undefined, signal),
    enabled: isAdmin,
  });
  return (
    <aside className="contacts-side" aria-label="Books and groups">
      <Button
        {...{ fullWidth: true, size: 'sm', onClick: onNew }}
        leftSection={<Icon name="plus" size={15} />}
      >
        New contact
      </Button>
      <Text {...{ size: 'xs', c: 'dimmed', px: 'sm', pt: 'md', pb: 4 }}>Books</Text>
      <Filter
        {...{
          label: 'All books',
          isOn: search.book === undefined,
          to: { book: undefined },
          search,
        }}
      />
      {addressBooks.map(({ id, name }) => {
        const book = kept?.items.find((one) => one.id === id);
        return (
          <Group key={id} gap={2} wrap="nowrap">
            <Filter {...{ label: name, isOn: search.book === id, to: { book: id }, search }} />
            {book && <BookMenu {...{ book, onChoose: setDialog }} />}
          </Group>
        );
      })}
      {isAdmin && (
        <Button
          {...{ mt: 4, size: 'compact-sm', variant: 'subtle' }}
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setDialog({ kind: 'new' })}
        >
          Add a book
        </Button>
      )}
      {kept && kept.items.length > 0 && (
        <Menu position="bottom-start">
          <Menu.Target>
            <Button
              {...{ size: 'compact-sm', variant: 'subtle' }}
              leftSection={<Icon name="upload" size={14} />}
            >
              Import contacts
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Label>Into</Menu.Label>
            {kept.items.map((book) => (
              <Menu.Item key={book.id} onClick={() => setDialog({ kind: 'import', book })}>
                <bdi>{book.name}</bdi>
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <Groups search={search} />
      <Filter
        {...{ label: 'Likely duplicates', isOn: search.show === 'duplicates', search }}
        to={{ show: 'duplicates' }}
      />
      {dialog && <BookDialogs dialog={dialog} onClose={() => setDialog(null)} />}
    </aside>
  );
}

/** On a narrow page the contacts begin at once: the books stand in a field over them. */
export function BookSelect({ search }: { search: ContactSearch }): ReactElement {
  const { addressBooks } = useAccount();
  const navigate = useNavigate();
  const { show: _, book = '', ...kept } = search;
  return (
    <Select
      {...{
        'aria-label': 'Book',
        hiddenFrom: 'md',
        px: 'sm',
        pt: 'sm',
        className: 'contacts-book',
      }}
      {...{ value: book, allowDeselect: false }}
      data={[
        { value: '', label: 'All books' },
        ...addressBooks.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(id) =>
        void navigate({
          to: '/contacts',
          search: (id === null || id === '' ? kept : { ...kept, book: id }) as ContactSearch,
        })
      }
    />
  );
}

function Groups({ search }: { search: ContactSearch }): ReactElement | null {
  const { data } = useQuery(groupsQuery(search.book));
  if (!data || data.groups.length === 0) return null;
  return (
    <>
      <Text {...{ size: 'xs', c: 'dimmed', px: 'sm', pt: 'md', pb: 4 }}>Groups</Text>
      {data.groups.map(({ group, contacts }) => {
        const isOn = search.group?.toLowerCase() === group.toLowerCase();
        return (
          <Filter
            key={group}
            {...{ label: group, count: contacts, isOn, search }}
            to={{ group: isOn ? undefined : group }}
          />
        );
      })}
    </>
  );
}

function Filter(props: {
  label: string;
  isOn: boolean;
  count?: number;
  to: { readonly [F in keyof ContactSearch]?: ContactSearch[F] | undefined };
  search: ContactSearch;
}): ReactElement {
  const { label, isOn, count, to, search } = props;
  const navigate = useNavigate();
  const { show: _, ...kept } = search;
  const next = Object.entries({ ...kept, ...to }).filter(([, value]) => value !== undefined);
  return (
    <NavLink
      {...{ component: 'button', active: isOn, label: <bdi>{label}</bdi> }}
      aria-pressed={isOn}
      onClick={() => void navigate({ to: '/contacts', search: Object.fromEntries(next) })}
      {...(count !== undefined && {
        rightSection: (
          <Text size="xs" c="dimmed">
            {count}
          </Text>
        ),
      })}
    />
  );
}

const BookMenu = (props: {
  book: AddressBook;
  onChoose: (dialog: BookDialog) => void;
}): ReactElement => {
  const { book, onChoose } = props;
  const fileOf = (format: string): string => urlOf(`/address-books/${book.id}/export`, { format });
  return (
    <MoreMenu label={`More for ${book.name}`}>
      <Menu.Item onClick={() => onChoose({ kind: 'edit', book })}>Name and access</Menu.Item>
      <Menu.Item onClick={() => onChoose({ kind: 'import', book })}>Import</Menu.Item>
      <Menu.Item component="a" href={fileOf('vcard')} download>
        Export as vCard
      </Menu.Item>
      <Menu.Item component="a" href={fileOf('csv')} download>
        Export as CSV
      </Menu.Item>
      <Menu.Item color="red" onClick={() => onChoose({ kind: 'remove', book })}>
        Delete
      </Menu.Item>
    </MoreMenu>
  );
};
