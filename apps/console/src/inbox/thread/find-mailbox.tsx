import { Button } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, type ReactElement } from 'react';
import { EmptyState, Loading } from '../../ui/states.js';
import { useFoundConversation } from '../conversation-query.js';
import { useInbox } from '../inbox-state.js';
import classes from '../inbox.module.css';
import { useAddress } from '../search-params.js';

/** Looks for a conversation whose address does not name its mailbox, as a link from elsewhere may be. */
export function FindMailbox({ id }: { id: string }): ReactElement {
  const navigate = useNavigate();
  const { query } = useInbox();
  const { search: filters } = useAddress();
  const { data, isPending } = useFoundConversation(id);
  const found = data?.mailbox;
  useEffect(() => {
    if (found)
      void navigate({
        to: '/inbox/$view/$conversationId',
        params: { view: query.view, conversationId: id },
        search: { ...filters, in: found },
        replace: true,
      });
  }, [found, id, navigate, query.view, filters]);
  return isPending || found ? (
    <Loading label="Looking for the conversation" />
  ) : (
    <GoneConversation isForbidden={false} />
  );
}

export function GoneConversation({ isForbidden }: { isForbidden: boolean }): ReactElement {
  const { close } = useInbox();
  return (
    <section className={classes.thread} aria-label="Conversation">
      <EmptyState
        icon={isForbidden ? 'safety' : 'trash'}
        title={isForbidden ? 'You may not read this mailbox' : 'This conversation is gone'}
        action={
          <Button size="xs" variant="default" onClick={close}>
            Back to the list
          </Button>
        }
      >
        {isForbidden
          ? 'An administrator can share it with you on the page People.'
          : 'It was deleted for good, or it is in another mailbox.'}
      </EmptyState>
    </section>
  );
}
