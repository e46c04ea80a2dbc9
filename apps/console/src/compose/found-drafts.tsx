import type { ApprovalPage, Conversation, Draft } from '@postroom/contracts';
import { Anchor, Box, Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { Icon, type IconName } from '../ui/icons.js';
import { Time } from '../ui/time.js';
import { partsOf } from './content.js';
import { threadDraftsQuery, useDraftsInStep } from './drafts-query.js';
import { textOfQuote } from './quote.js';
import { holdBack } from './send-notices.js';
import { reasonText } from './words.js';

/** The drafts of a conversation, and what agents propose for it. */
export function FoundDrafts(props: {
  conversation: Conversation;
  /** The one that is open below. */
  openId: string | null;
  onOpen: (draft: Draft) => void;
}): ReactElement | null {
  const { conversation, openId, onOpen } = props;
  useDraftsInStep();
  const { data } = useQuery(threadDraftsQuery(conversation.mailbox, conversation.id));
  const drafts = (data?.drafts ?? []).filter(({ id }) => id !== openId);
  const proposals = useProposals(conversation);
  if (drafts.length + proposals.length === 0) return null;
  return (
    <Stack gap={6} mb="xs" role="group" aria-label="Drafts of this conversation">
      {proposals.map(({ id, requestedBy, difference }) => (
        <Strip
          key={id}
          icon="agent"
          text={`${requestedBy.name} proposes an answer`}
          note={wordsOf(difference?.after?.body)}
        >
          <Anchor component={Link} to="/approvals" search={{ id } as never} size="sm">
            View
          </Anchor>
        </Strip>
      ))}
      {drafts.map((draft) => (
        <DraftStrip key={draft.id} {...{ draft, onOpen }} />
      ))}
    </Stack>
  );
}

function DraftStrip(props: { draft: Draft; onOpen: (draft: Draft) => void }): ReactElement {
  const { draft, onOpen } = props;
  const isAgents = draft.createdBy.type === 'key';
  const isFailed = draft.scheduled?.state === 'failed';
  return (
    <Strip
      icon={isAgents ? 'agent' : 'edit'}
      text={useTitle(draft)}
      note={
        isFailed ? reasonText(draft.scheduled?.reason ?? null) : textOfQuote(partsOf(draft).html)
      }
    >
      {draft.scheduled && !isFailed ? (
        <Leaving draft={draft} scheduled={draft.scheduled} />
      ) : (
        <>
          <Text size="xs" c="dimmed">
            <Time at={draft.updatedAt} />
          </Text>
          <Button size="compact-xs" variant="default" onClick={() => onOpen(draft)}>
            {isAgents ? 'View' : 'Continue'}
          </Button>
        </>
      )}
    </Strip>
  );
}

/** The words of a draft that is asked for. */
const wordsOf = (body: unknown): string =>
  typeof body === 'string' ? textOfQuote(partsOf({ body, source: 'api' }).html) : '';

function useTitle({ createdBy: { type, id } }: Draft): string {
  const { member, members } = useAccount();
  if (type === 'key') return 'A draft written by an agent';
  if (id === member.id) return 'Your draft';
  return `Draft of ${members.find((one) => one.id === id)?.name ?? 'a former member'}`;
}

const Leaving = (props: {
  draft: Draft;
  scheduled: NonNullable<Draft['scheduled']>;
}): ReactElement => {
  const { sendAt, state } = props.scheduled;
  return (
    <>
      <Text size="xs" c="dimmed">
        {state === 'sending' ? 'leaving' : 'leaves'} <Time at={sendAt} />
      </Text>
      {state === 'waiting' && (
        <Button size="compact-xs" variant="default" onClick={() => void holdBack(props.draft)}>
          Hold back
        </Button>
      )}
    </>
  );
};

const Strip = (props: {
  icon: IconName;
  text: string;
  note?: string;
  children: ReactElement;
}): ReactElement => (
  <Paper withBorder px="sm" py={6}>
    <Group gap="xs" wrap="nowrap">
      <Icon name={props.icon} size={16} />
      <Box flex={1} miw={0}>
        <Text size="sm" truncate>
          {props.text}
        </Text>
        {props.note !== undefined && props.note !== '' && (
          <Text size="sm" c="dimmed" truncate>
            <bdi>{props.note}</bdi>
          </Text>
        )}
      </Box>
      {props.children}
    </Group>
  </Paper>
);

/** Drafts that agents would begin here, once a member approves them. */
function useProposals({ id, mailbox }: Conversation): ApprovalPage['items'] {
  const { data } = useQuery({
    queryKey: ['approvals', 'proposals', mailbox],
    queryFn: ({ signal }) =>
      api.get<ApprovalPage>(
        '/approvals',
        { state: 'pending', mailbox, operation: 'drafts.create', limit: 100 },
        signal,
      ),
  });
  return (data?.items ?? []).filter(({ difference }) => difference?.after?.threadId === id);
}
