import type { Conversation } from '@postroom/contracts';
import { Skeleton, Stack } from '@mantine/core';
import { useEffect, useRef, type ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { ApiProblem } from '../../api/problem.js';
import { Composer } from '../../compose/composer.js';
import { ErrorState } from '../../ui/states.js';
import { useConversation } from '../conversation-query.js';
import classes from '../inbox.module.css';
import { dropEverywhere } from '../list/lists.js';
import { putRows, rowFrom, useRow } from '../list/rows.js';
import { useTellPresence } from '../presence.js';
import { canWrite } from '../triage/use-triage.js';
import { GoneConversation } from './find-mailbox.js';
import { PresenceLine } from './presence-line.js';
import { ThreadHead } from './thread-head.js';
import { ThreadItems } from './thread-items.js';
import {
  useMarkRead,
  usePrefetchNext,
  useThreadCommands,
  useThreadShortcuts,
} from './thread-effects.js';

interface ThreadProps {
  readonly id: string;
  readonly mailbox: string;
  readonly onDetails: () => void;
}

/** The conversation that is open: its messages and comments, and the place to answer. */
export function ThreadPane({ id, mailbox, onDetails }: ThreadProps): ReactElement {
  const { data: conversation, error, refetch } = useConversation(id, mailbox);
  const isGone = error instanceof ApiProblem && [403, 404].includes(error.status);
  useEffect(() => {
    if (conversation) putRows([rowFrom(conversation)]);
  }, [conversation]);
  useEffect(() => {
    if (isGone) dropEverywhere(id);
  }, [isGone, id]);
  if (isGone) return <GoneConversation isForbidden={error.status === 403} />;
  if (error && !conversation)
    return (
      <section className={classes.thread} aria-label="Conversation">
        <div style={{ padding: 16 }}>
          <ErrorState error={error} onRetry={() => void refetch()} />
        </div>
      </section>
    );
  if (!conversation) return <ThreadSkeleton {...{ id, onDetails }} />;
  return <Thread {...{ conversation, onDetails }} />;
}

function Thread(props: { conversation: Conversation; onDetails: () => void }): ReactElement {
  const { conversation, onDetails } = props;
  const { id, mailbox } = conversation;
  const isWritable = canWrite(useAccount(), mailbox);
  const scroller = useRef<HTMLDivElement>(null);
  useTellPresence(id, mailbox);
  useMarkRead(id, isWritable);
  usePrefetchNext(id);
  useThreadShortcuts(isWritable);
  useThreadCommands((useRow(id) ?? conversation).placement === 'inbox', isWritable);
  // Space and the arrows scroll what is read; a click in the list leaves the focus there.
  useEffect(() => scroller.current?.focus({ preventScroll: true }), []);
  return (
    <section className={classes.thread} aria-label="Conversation">
      <ThreadHead {...{ conversation, isWritable, onDetails }} />
      <PresenceLine conversation={conversation} />
      <div
        {...{ ref: scroller, className: classes.messages, tabIndex: 0, role: 'region' }}
        aria-label="Messages"
      >
        <ThreadItems conversation={conversation} />
      </div>
      <div className={classes.composer}>
        <Composer conversation={conversation} />
      </div>
    </section>
  );
}

/** The subject, which the list knows already, stands at once. */
function ThreadSkeleton(props: { id: string; onDetails: () => void }): ReactElement {
  const row = useRow(props.id);
  return (
    <section className={classes.thread} aria-label="Conversation" aria-busy="true">
      <ThreadHead
        {...{ conversation: row ?? null, isWritable: false, onDetails: props.onDetails }}
      />
      <Stack p="md" role="status" aria-label="Loading the conversation">
        <Skeleton height={12} width="40%" />
        <Skeleton height={90} />
      </Stack>
    </section>
  );
}
