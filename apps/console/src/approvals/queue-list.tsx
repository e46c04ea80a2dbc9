import { Box, Button, Checkbox, Group, SegmentedControl, Text, Title } from '@mantine/core';
import type { ApprovalRequest } from '@postroom/contracts';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import style from './approvals.module.css';
import { QueueFilters } from './queue-filters.js';
import { QueueRow } from './queue-row.js';
import { selectedMax, type Selection } from './selection.js';
import { SeveralBar } from './several-bar.js';

interface ListQuery {
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
  refetch(): unknown;
}

interface QueueListProps {
  readonly query: ListQuery;
  readonly items: readonly ApprovalRequest[];
  readonly count: number | null;
  readonly selection: Selection;
  readonly approvalId: string | undefined;
}

/** The queue: its filters, how many wait, and a line for each request. */
export function QueueList(props: QueueListProps): ReactElement {
  const { items, count, selection } = props;
  const search = useSearch({ from: '/shell/approvals' });
  const navigate = useNavigate();
  const isClosed = search.state === 'closed';
  return (
    <section className={style.list} aria-label="Requests">
      <Box px="md" pt="md" pb="xs">
        <Group justify="space-between" align="baseline" mb="xs">
          <Title order={1} size="h3">
            Approvals
          </Title>
          <Text size="sm" c="dimmed" role="status">
            {count !== null && `${count.toLocaleString('en')} ${isClosed ? 'closed' : 'waiting'}`}
          </Text>
        </Group>
        <SegmentedControl
          {...{ fullWidth: true, size: 'xs', value: isClosed ? 'closed' : 'pending' }}
          aria-label="Which requests"
          data={[
            { label: 'Waiting', value: 'pending' },
            { label: 'Closed', value: 'closed' },
          ]}
          onChange={(value) => {
            const { state: _, ...filters } = search;
            void navigate({
              to: '/approvals',
              search: value === 'closed' ? { ...filters, state: 'closed' } : filters,
            });
          }}
        />
        <QueueFilters items={items} />
        <SelectAll {...{ items, selection }} />
      </Box>
      <Rows {...props} />
      <SeveralBar selection={selection} items={items} />
    </section>
  );
}

function SelectAll(props: Pick<QueueListProps, 'items' | 'selection'>): ReactElement | null {
  const { items, selection } = props;
  const { member } = useAccount();
  const pending = items.filter(({ state }) => state === 'pending').length;
  if (!member.canApprove || pending < 2) return null;
  const all = Math.min(pending, selectedMax);
  const chosen = selection.ids.length;
  return (
    <Checkbox
      {...{
        size: 'xs',
        mt: 'xs',
        ml: 2,
        checked: chosen === all,
        indeterminate: chosen > 0 && chosen < all,
      }}
      label={
        chosen > 0 ? `${chosen} selected` : `Select ${pending > all ? `the first ${all}` : 'all'}`
      }
      onChange={selection.toggleAll}
    />
  );
}

function Rows({ query, items, selection, approvalId }: QueueListProps): ReactElement {
  if (query.isPending) return <Loading label="Loading the requests" />;
  if (query.error)
    return (
      <Box p="sm">
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Box>
    );
  if (items.length === 0) return <NothingListed />;
  return (
    <ul className={style.rows} tabIndex={-1}>
      {items.map((approval) => (
        <QueueRow
          key={approval.id}
          {...{ approval, selection }}
          isCurrent={approval.id === approvalId}
        />
      ))}
      {query.hasNextPage && (
        <li>
          <Button
            {...{ variant: 'subtle', fullWidth: true, loading: query.isFetchingNextPage }}
            onClick={() => void query.fetchNextPage()}
          >
            Show more
          </Button>
        </li>
      )}
    </ul>
  );
}

function NothingListed(): ReactElement {
  const { state, key, mailbox, operation } = useSearch({ from: '/shell/approvals' });
  if (key ?? mailbox ?? operation)
    return <EmptyState icon="search" title="Nothing with these filters" />;
  return (
    <EmptyState
      icon="approvals"
      title={state === 'closed' ? 'Nothing closed yet' : 'Nothing waits'}
    >
      {state === 'closed'
        ? 'What was decided, expired or was cancelled is kept here for 90 days, with its receipt.'
        : 'What agents want to write appears here by itself, for a person to decide.'}
    </EmptyState>
  );
}
