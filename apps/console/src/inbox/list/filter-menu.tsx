import { ActionIcon, Badge, CloseButton, Group, Indicator, Menu, Tooltip } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { Icon } from '../../ui/icons.js';
import { useInbox } from '../inbox-state.js';
import type { InboxSearch } from '../search-params.js';

interface Filter {
  readonly label: string;
  readonly set: InboxSearch;
}

const groups: readonly { readonly title: string; readonly filters: readonly Filter[] }[] = [
  {
    title: 'Show',
    filters: [
      { label: 'Unread only', set: { unread: true } },
      { label: 'Open', set: { status: 'open' } },
      { label: 'Pending', set: { status: 'pending' } },
      { label: 'Closed', set: { status: 'closed' } },
    ],
  },
  {
    title: 'Order',
    filters: [
      { label: 'Oldest first', set: { sort: 'oldest' } },
      { label: 'Longest waiting first', set: { sort: 'waiting' } },
    ],
  },
];

type Key = 'unread' | 'status' | 'sort' | 'assignee' | 'mailbox' | 'team' | 'label';

function useFilters(): {
  query: InboxSearch;
  set: (change: InboxSearch) => void;
  drop: (key: Key) => void;
} {
  const navigate = useNavigate();
  const { query } = useInbox();
  const { me: _, view, ...filters } = query;
  const show = (search: InboxSearch): void =>
    void navigate({ to: '/inbox/$view', params: { view }, search });
  return {
    query,
    set: (change) => show({ ...filters, ...change }),
    drop: (key) => {
      const { [key]: _dropped, ...rest } = filters;
      show(rest);
    },
  };
}

/** Filters and the order of the list. */
export function FilterMenu(): ReactElement {
  const { query, set, drop } = useFilters();
  const isSet = ({ set: wanted }: Filter): boolean =>
    Object.entries(wanted).every(([key, value]) => query[key as Key] === value);
  const isFiltered = query.unread ?? query.status ?? query.sort;
  return (
    <Menu position="bottom-end" width={220} shadow="md" closeOnItemClick={false}>
      <Tooltip label="Filter and order">
        <Indicator disabled={isFiltered === undefined} size={8} offset={4}>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" aria-label="Filter and order" c="dimmed">
              <Icon name="filter" />
            </ActionIcon>
          </Menu.Target>
        </Indicator>
      </Tooltip>
      <Menu.Dropdown>
        {groups.map(({ title, filters }) => (
          <div key={title}>
            <Menu.Label>{title}</Menu.Label>
            {filters.map((filter) => (
              <Menu.Item
                key={filter.label}
                {...{ role: 'menuitemcheckbox', 'aria-checked': isSet(filter) }}
                rightSection={isSet(filter) ? <Icon name="check" size={14} /> : null}
                onClick={() => {
                  if (isSet(filter)) drop(Object.keys(filter.set)[0] as Key);
                  else set(filter.set);
                }}
              >
                {filter.label}
              </Menu.Item>
            ))}
          </div>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The filters in force, each with its way out. */
export function FilterChips(): ReactElement | null {
  const { query, drop } = useFilters();
  const { teams, members } = useAccount();
  const texts: Partial<Record<Key, string | undefined>> = {
    mailbox: query.mailbox,
    team: teams.find(({ id }) => id === query.team)?.name ?? query.team,
    label: query.label,
    status: query.status,
    assignee: members.find(({ email }) => email === query.assignee)?.name ?? query.assignee,
    unread: query.unread === undefined ? undefined : query.unread ? 'unread' : 'read',
    sort: query.sort === 'waiting' ? 'longest waiting' : query.sort,
  };
  const shown = Object.entries(texts).filter(([, text]) => text !== undefined);
  if (shown.length === 0) return null;
  return (
    <Group gap={6} px="sm" pb={6}>
      {shown.map(([key, text]) => (
        <Badge
          key={key}
          {...{ variant: 'light', tt: 'none', maw: 220, pr: 3 }}
          rightSection={
            <CloseButton
              size={14}
              aria-label={`Remove the filter ${text ?? ''}`}
              onClick={() => drop(key as Key)}
            />
          }
        >
          <bdi>{text}</bdi>
        </Badge>
      ))}
    </Group>
  );
}
