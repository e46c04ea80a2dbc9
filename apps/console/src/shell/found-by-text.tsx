import type { Account, ContactList, SearchAnswer } from '@postroom/contracts';
import { Spotlight } from '@mantine/spotlight';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { Icon } from '../ui/icons.js';
import { shortTime } from '../ui/time.js';
import { conversationPath } from './places.js';

/** Mailboxes that are searched, and finds that are shown. */
const mailboxesMax = 5;
const shownMax = 6;

/** Conversations and contacts with the words that are typed. */
export function FoundByText({ text }: { text: string }): ReactElement | null {
  const [q] = useDebouncedValue(text.trim(), 200);
  const { mailboxes } = useAccount();
  const navigate = useNavigate();
  const { data } = useQuery({
    queryKey: ['palette', q],
    queryFn: ({ signal }) => find(q, mailboxes, signal),
    enabled: q.length >= 2,
    placeholderData: keepPreviousData,
  });
  if (text.trim().length < 2) return null;
  const go = (href: string) => () => void navigate({ href });
  return (
    <>
      <Spotlight.ActionsGroup label="Mail">
        <Spotlight.Action
          {...{ label: `Search mail for “${text.trim()}”`, leftSection: <Icon name="search" /> }}
          onClick={go(`/inbox/search?q=${encodeURIComponent(JSON.stringify(text.trim()))}`)}
        />
        {data?.conversations.map(({ conversationId, subject, from, lastMessageAt, mailbox }) => (
          <Spotlight.Action
            key={`${mailbox} ${conversationId}`}
            {...{ label: subject || 'Without a subject', leftSection: <Icon name="mailbox" /> }}
            description={`${from?.name || from?.email || 'Nobody'} · ${mailbox} · ${shortTime(new Date(lastMessageAt))}`}
            onClick={go(conversationPath(conversationId, mailbox))}
          />
        ))}
      </Spotlight.ActionsGroup>
      {data && data.contacts.length > 0 && (
        <Spotlight.ActionsGroup label="Contacts">
          {data.contacts.map(({ id, displayName, emails }) => (
            <Spotlight.Action
              key={id}
              {...{ label: displayName, leftSection: <Icon name="contacts" /> }}
              description={emails[0]?.value ?? ''}
              onClick={go(`/contacts/${id}`)}
            />
          ))}
        </Spotlight.ActionsGroup>
      )}
    </>
  );
}

async function find(q: string, mailboxes: Account['mailboxes'], signal: AbortSignal) {
  const searched = mailboxes.slice(0, mailboxesMax).map(async ({ address }) => {
    const { results } = await api.get<SearchAnswer>(
      '/v1/search',
      { mailbox: address, q, limit: shownMax },
      signal,
    );
    return results.map((result) => ({ ...result, mailbox: address }));
  });
  const [found, { contacts }] = await Promise.all([
    Promise.all(searched),
    api.get<ContactList>('/v1/contacts', { q }, signal),
  ]);
  const conversations = found
    .flat()
    .toSorted((a, b) => b.lastMessageAt.localeCompare(a.lastMessageAt));
  return {
    conversations: conversations.slice(0, shownMax),
    contacts: contacts.slice(0, shownMax),
  };
}
