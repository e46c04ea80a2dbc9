import {
  ActionIcon,
  CloseButton,
  Code,
  Popover,
  Text,
  TextInput,
  UnstyledButton,
} from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type KeyboardEvent, type ReactElement } from 'react';
import { Icon } from '../../ui/icons.js';
import { useInbox } from '../inbox-state.js';
import { focusList } from './conversation-listbox.js';

const operators: readonly (readonly [string, string])[] = [
  ['"on my way"', 'a phrase'],
  ['invoice -draft', 'one word and not the other'],
  ['from:claire to:sales@', 'who wrote, and to whom'],
  ['subject:refund', 'words of the subject'],
  ['label:urgent', 'a label'],
  ['assignee:me', 'who has it: me, none, or an address'],
  ['is:unread', 'what nobody has read'],
  ['has:attachment filename:pdf', 'files'],
  ['in:trash', 'another place than the inbox'],
  ['after:2026-01-31 before:2026-03-01', 'days'],
];

/** Search over the mailboxes, with operators; the query stands in the address. */
export function SearchField(): ReactElement {
  const { query } = useInbox();
  const [typed, setTyped] = useState(query.q ?? '');
  const [shownQuery, setShownQuery] = useState(query.q);
  if (shownQuery !== query.q) {
    setShownQuery(query.q);
    setTyped(query.q ?? '');
  }
  const navigate = useNavigate();
  const search = (q: string): void => {
    const { mailbox } = query;
    const within = mailbox === undefined ? {} : { mailbox };
    if (q.trim() === '')
      void navigate({ to: '/inbox/$view', params: { view: 'all' }, search: within });
    else
      void navigate({
        to: '/inbox/$view',
        params: { view: 'search' },
        search: { q: q.trim(), ...within },
      });
    focusList();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') search(typed);
    if (event.key === 'Escape') focusList();
  };
  return (
    <TextInput
      {...{ 'aria-label': 'Search the mail', placeholder: 'Search', value: typed, onKeyDown }}
      {...{
        size: 'sm',
        flex: 1,
        id: 'inbox-search',
        leftSection: <Icon name="search" size={16} />,
      }}
      onChange={({ currentTarget }) => setTyped(currentTarget.value)}
      rightSection={
        typed === '' ? (
          <SearchHelp onPick={setTyped} />
        ) : (
          <CloseButton size="sm" aria-label="Clear the search" onClick={() => search('')} />
        )
      }
    />
  );
}

/** The operators of a search, each with an example that begins one. */
function SearchHelp({ onPick }: { onPick: (example: string) => void }): ReactElement {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover
      {...{ opened: isOpen, onChange: setIsOpen, trapFocus: true, shadow: 'md', width: 330 }}
    >
      <Popover.Target>
        <ActionIcon
          {...{ variant: 'subtle', color: 'gray', size: 'sm' }}
          aria-label="How to search"
          onClick={() => setIsOpen(!isOpen)}
        >
          ?
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown p="xs" aria-label="How to search">
        {operators.map(([example, about]) => (
          <UnstyledButton
            key={example}
            {...{ display: 'block', w: '100%', px: 6, py: 4 }}
            onClick={() => {
              setIsOpen(false);
              onPick(`${example} `);
              focusSearch();
            }}
          >
            <Code>{example}</Code>{' '}
            <Text span size="xs" c="dimmed">
              {about}
            </Text>
          </UnstyledButton>
        ))}
      </Popover.Dropdown>
    </Popover>
  );
}

export const focusSearch = (): void => {
  const field = document.querySelector<HTMLInputElement>('#inbox-search');
  field?.focus();
  field?.select();
};
