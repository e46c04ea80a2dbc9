import { Button, Code } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { EmptyState } from '../../ui/states.js';
import { useInbox } from '../inbox-state.js';
import type { View } from '../search-params.js';
import { viewIcons } from './view-names.js';

const words: Readonly<Record<View, { readonly title: string; readonly text: string }>> = {
  mine: {
    title: 'Nothing is assigned to you',
    text: 'Take a conversation with M, or look at what nobody has taken.',
  },
  unassigned: {
    title: 'Everything is taken',
    text: 'New conversations show here until somebody takes them.',
  },
  all: { title: 'The inbox is empty', text: 'Mail to your mailboxes shows here as it comes.' },
  snoozed: {
    title: 'Nothing is snoozed',
    text: 'Snooze a conversation with H, and it comes back when you say.',
  },
  sent: { title: 'Nothing was sent yet', text: 'What leaves your mailboxes shows here.' },
  archived: {
    title: 'Nothing is archived',
    text: 'What is done goes here with E; a new message brings it back.',
  },
  spam: { title: 'No spam', text: 'What is moved here is deleted after 30 days.' },
  trash: { title: 'The trash is empty', text: 'What is moved here is deleted after 30 days.' },
  search: { title: 'Nothing was found', text: '' },
};

/** A sentence about what would be here, and the one next action. */
export function EmptyList(): ReactElement {
  const { query } = useInbox();
  const { mailboxes } = useAccount();
  const { view, me: _, q, ...filters } = query;
  const isFiltered = Object.keys(filters).length > 0;
  if (mailboxes.length === 0)
    return (
      <EmptyState icon="mailbox" title="You have no mailbox yet">
        An administrator shares one with you on the page People.
      </EmptyState>
    );
  return (
    <EmptyState
      icon={viewIcons[view]}
      title={isFiltered ? 'Nothing matches' : words[view].title}
      action={<Next {...{ view, isFiltered }} />}
    >
      {view === 'search' ? (
        <SearchHelp q={q ?? ''} />
      ) : isFiltered ? (
        'Fewer filters show more.'
      ) : (
        words[view].text
      )}
    </EmptyState>
  );
}

function Next({ view, isFiltered }: { view: View; isFiltered: boolean }): ReactElement | null {
  if (view === 'all' && !isFiltered) return null;
  const [to, label] =
    view === 'mine' && !isFiltered ? ['unassigned', 'Show unassigned'] : ['all', 'Show all'];
  return (
    <Button {...{ component: Link, size: 'xs', variant: 'default', to: `/inbox/${to}` }}>
      {label}
    </Button>
  );
}

const SearchHelp = ({ q }: { q: string }): ReactElement => (
  <>
    No message has all of <Code>{q}</Code>. Every word must match; trash and spam are searched with{' '}
    <Code>in:trash</Code> and <Code>in:spam</Code>.
  </>
);
