import { CloseButton, TextInput, Tooltip } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type KeyboardEvent, type ReactElement } from 'react';
import { Icon } from '../../ui/icons.js';
import { useInbox } from '../inbox-state.js';
import { focusList } from './conversation-listbox.js';

const operators =
  'Words, "a phrase", -word, from: to: cc: subject: label: assignee:me is:unread has:attachment filename: in:trash before:2026-01-31 after:';

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
    <Tooltip label={operators} multiline w={320} openDelay={800} position="bottom">
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
          typed === '' ? null : (
            <CloseButton size="sm" aria-label="Clear the search" onClick={() => search('')} />
          )
        }
      />
    </Tooltip>
  );
}

export const focusSearch = (): void => {
  const field = document.querySelector<HTMLInputElement>('#inbox-search');
  field?.focus();
  field?.select();
};
