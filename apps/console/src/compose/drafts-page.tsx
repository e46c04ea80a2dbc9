import type { Draft, DraftPage } from '@postroom/contracts';
import { Badge, Button, Stack, Tabs } from '@mantine/core';
import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { Icon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import { DraftRow } from './draft-row.js';
import {
  draftsQuery,
  draftStates,
  isDraftState,
  stateOf,
  useDraftsInStep,
  type DraftState,
} from './drafts-query.js';
import { openNewMessage } from './open-composer.js';

const labels: Readonly<Record<DraftState, string>> = {
  drafts: 'Drafts',
  scheduled: 'Scheduled',
  failed: 'Not sent',
};

/** The drafts of all mailboxes: those that are written, that leave later, and that could not leave. */
export function DraftsPage(): ReactElement {
  useDraftsInStep();
  const { state = 'drafts' } = useSearch({ from: '/shell/inbox/drafts' });
  const navigate = useNavigate();
  const { drafts, isPending, error, retry } = useAllDrafts();
  return (
    <Page
      title="Drafts"
      actions={
        <Button leftSection={<Icon name="edit" size={16} />} onClick={() => openNewMessage()}>
          New message
        </Button>
      }
    >
      <Tabs
        value={state}
        onChange={(value) => {
          if (isDraftState(value))
            void navigate({
              to: '/inbox/drafts',
              search: value === 'drafts' ? {} : { state: value },
            });
        }}
      >
        <Tabs.List>
          {draftStates.map((one) => (
            <Tabs.Tab key={one} value={one} rightSection={<Count {...{ drafts, state: one }} />}>
              {labels[one]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={state} pt="sm">
          {error !== null && <ErrorState error={error} onRetry={retry} />}
          {isPending ? <Loading /> : <DraftList {...{ drafts, state }} />}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

const Count = (props: { drafts: readonly Draft[]; state: DraftState }): ReactElement | null => {
  const count = props.drafts.filter((draft) => stateOf(draft) === props.state).length;
  return count === 0 ? null : (
    <Badge size="sm" variant="light" color={props.state === 'failed' ? 'red' : 'indigo'}>
      {count}
    </Badge>
  );
};

const empty: Readonly<Record<DraftState, readonly [string, string]>> = {
  drafts: ['No drafts', 'What you or an agent begin to write is kept here until it is sent.'],
  scheduled: ['Nothing is scheduled', 'Messages that leave later wait here, and can be held back.'],
  failed: ['Everything has left', 'A message that could not be sent is kept here with the reason.'],
};

const DraftList = (props: { drafts: readonly Draft[]; state: DraftState }): ReactElement => {
  const shown = props.drafts.filter((draft) => stateOf(draft) === props.state);
  const [title, text] = empty[props.state];
  if (shown.length === 0)
    return (
      <EmptyState icon="edit" title={title}>
        {text}
      </EmptyState>
    );
  return (
    <Stack gap={6}>
      {shown.map((draft) => (
        <DraftRow key={draft.id} draft={draft} />
      ))}
    </Stack>
  );
};

interface AllDrafts {
  readonly drafts: readonly Draft[];
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly retry: () => void;
}

/** Those of every mailbox, the last changed first; what leaves later by its time. */
function useAllDrafts(): AllDrafts {
  const { mailboxes } = useAccount();
  const results: readonly UseQueryResult<DraftPage>[] = useQueries({
    queries: mailboxes.map(({ address }) => draftsQuery(address)),
  });
  const drafts = results
    .flatMap(({ data }) => data?.drafts ?? [])
    .sort((a, b) => timeOf(b) - timeOf(a));
  return {
    drafts,
    isPending: results.some(({ isPending }) => isPending),
    error: results.find(({ error }) => error !== null)?.error ?? null,
    retry: () => results.forEach(({ refetch }) => void refetch()),
  };
}

const timeOf = ({ scheduled, updatedAt }: Draft): number =>
  scheduled ? -Date.parse(scheduled.sendAt) : Date.parse(updatedAt);
