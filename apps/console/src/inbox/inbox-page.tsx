import { useParams, useSearch } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Composer } from '../compose/composer.js';
import { openComposer } from '../compose/open-composer.js';
import { useShortcuts } from '../shell/shortcuts.js';
import { Page } from '../ui/page.js';
import { ErrorState, Loading } from '../ui/states.js';
import { useConversation } from './conversation-query.js';
import { usePresences, useTellPresence } from './presence.js';

/** The shared inbox: its list, the conversation that is open, and its details. */
export function InboxPage(): ReactElement {
  const { conversationId } = useParams({ strict: false });
  const { in: mailbox } = useSearch({ from: '/shell/inbox/$view' });
  usePresences();
  return (
    <Page title="Inbox">
      {conversationId !== undefined && mailbox !== undefined && (
        <Thread {...{ key: conversationId, id: conversationId, mailbox }} />
      )}
    </Page>
  );
}

function Thread({ id, mailbox }: { id: string; mailbox: string }): ReactElement {
  const { data: conversation, error } = useConversation(id, mailbox);
  useTellPresence(id, mailbox);
  useShortcuts([
    { keys: 'r', label: 'Reply', run: () => openComposer('reply') },
    { keys: 'R', label: 'Reply to all', run: () => openComposer('replyAll') },
    { keys: 'f', label: 'Forward', run: () => openComposer('forward') },
    { keys: 'c', label: 'Comment', run: () => openComposer('comment') },
  ]);
  if (error) return <ErrorState error={error} />;
  if (!conversation) return <Loading />;
  return (
    <>
      {conversation.messages.map((message) => (
        <p key={message.id}>{message.text}</p>
      ))}
      <Composer conversation={conversation} />
    </>
  );
}
