import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { EmptyState } from '../../ui/states.js';
import classes from '../inbox.module.css';
import { useInbox } from '../inbox-state.js';

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
