import { Box, Button, VisuallyHidden } from '@mantine/core';
import type { Draft } from '@postroom/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CatchBoundary, Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Icon } from '../ui/icons.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import { ApprovalView } from './approval-view.js';
import style from './approvals.module.css';
import { conversationOf } from './request/headline.js';
import { approvalQuery, queueSearch } from './queue.js';
import { useDraftOf } from './several-effect.js';
import { Thread } from './thread.js';

/** The request that is shown, with its conversation beside it. */
export function Detail(props: {
  approvalId: string | undefined;
  isEmpty: boolean;
  onDecided: () => void;
}): ReactElement {
  const { approvalId, isEmpty, onDecided } = props;
  return (
    <section className={style.detail} aria-label="Request" tabIndex={-1}>
      {approvalId !== undefined && <One key={approvalId} {...{ id: approvalId, onDecided }} />}
      {approvalId === undefined && isEmpty && (
        <EmptyState icon="check" title="All decided">
          The next request of an agent is shown here.
        </EmptyState>
      )}
    </section>
  );
}

function One({ id, onDecided }: { id: string; onDecided: () => void }): ReactElement {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(approvalQuery(id, client));
  const draft = useDraftOf(data);
  if (!data)
    return error ? (
      <Box p="md">
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Box>
    ) : (
      <Loading label="Loading the request" />
    );
  const conversation = conversationOf(data) ?? conversationOfDraft(draft);
  return (
    <div className={style.columns} data-beside={conversation !== null || undefined}>
      <article className={style.request}>
        <Button
          {...{
            hiddenFrom: 'sm',
            variant: 'subtle',
            size: 'compact-sm',
            mb: 'xs',
            to: '/approvals',
          }}
          {...{ component: Link, leftSection: <Icon name="back" size={16} /> }}
          search={queueSearch as never}
        >
          All requests
        </Button>
        {/* A request that cannot be shown does not take the queue with it. */}
        <CatchBoundary
          getResetKey={() => id}
          errorComponent={({ error, reset }) => <ErrorState error={error} onRetry={reset} />}
        >
          <ApprovalView approval={data} onDecided={onDecided} />
        </CatchBoundary>
      </article>
      {conversation && (
        <aside className={style.beside} aria-label="The conversation">
          <VisuallyHidden component="h2">The conversation</VisuallyHidden>
          <Thread {...conversation} />
        </aside>
      )}
    </div>
  );
}

/** The change of a draft does not name the conversation that the draft continues. */
const conversationOfDraft = (draft: Draft | undefined): ReturnType<typeof conversationOf> =>
  draft && draft.threadId !== null
    ? { conversationId: draft.threadId, mailbox: draft.mailbox }
    : null;
