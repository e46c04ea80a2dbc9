import { Anchor, Badge, Box, Group, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import type { Comment, Conversation, Message } from '@postroom/contracts';
import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useConversation } from '../inbox/conversation-query.js';
import { MarkedText } from '../ui/marked-text.js';
import { ErrorState, Loading } from '../ui/states.js';
import { Time } from '../ui/time.js';
import { LongText } from './request/long-text.js';
import style from './request/request.module.css';

/** Messages and comments that are shown at first. */
const shownMax = 4;

type Entry =
  | { readonly at: string; readonly message: Message }
  | { readonly at: string; readonly comment: Comment };

/** The conversation beside a request, to be read only. */
export function Thread(props: { conversationId: string; mailbox: string }): ReactElement {
  const { data, error, refetch } = useConversation(props.conversationId, props.mailbox);
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading label="Loading the conversation" />;
  return <ThreadOf conversation={data} />;
}

const entriesOf = ({ messages, comments }: Conversation): readonly Entry[] =>
  [
    ...messages.map((message) => ({ at: message.receivedAt, message })),
    ...comments.map((comment) => ({ at: comment.createdAt, comment })),
  ].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));

function ThreadOf({ conversation }: { conversation: Conversation }): ReactElement {
  const [isWhole, setIsWhole] = useState(false);
  const { id, mailbox, subject, status, labels, placement } = conversation;
  const entries = entriesOf(conversation);
  const shown = isWhole ? entries : entries.slice(-shownMax);
  return (
    <Stack gap="sm">
      <Box>
        <Title order={3} size="h5">
          <MarkedText text={subject === '' ? '(no subject)' : subject} />
        </Title>
        <Group gap={6} mt={4}>
          <Badge size="sm" variant="default" tt="none">
            {placement === 'inbox' ? status : placement}
          </Badge>
          {labels.map((label) => (
            <Badge key={label} size="sm" variant="light" tt="none">
              {label}
            </Badge>
          ))}
          <Anchor
            {...{ component: Link, size: 'xs', to: `/inbox/all/${id}` }}
            search={{ in: mailbox } as never}
          >
            Open in the inbox
          </Anchor>
        </Group>
      </Box>
      {shown.length < entries.length && (
        <UnstyledButton onClick={() => setIsWhole(true)}>
          <Text size="sm" c="dimmed">
            ▸ {entries.length - shown.length} earlier
          </Text>
        </UnstyledButton>
      )}
      {shown.map((entry) =>
        'message' in entry ? (
          <MessageEntry key={entry.message.id} message={entry.message} />
        ) : (
          <CommentEntry key={entry.comment.id} comment={entry.comment} />
        ),
      )}
    </Stack>
  );
}

const senderOf = ({ from }: Message): string => from?.name ?? from?.email ?? 'Unknown sender';

function MessageEntry({ message }: { message: Message }): ReactElement {
  const { to, direction, receivedAt, extractedText, text, preview, trust } = message;
  return (
    <Box className={style.paper} component="article">
      <Group justify="space-between" gap="xs" wrap="nowrap" mb={4}>
        <Text size="sm" fw={600} truncate>
          <MarkedText text={senderOf(message)} />
          {direction === 'outbound' && (
            <Text span c="dimmed" fw={400}>
              {' '}
              to {to.map(({ email }) => email).join(', ')}
            </Text>
          )}
        </Text>
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          <Time at={receivedAt} />
        </Text>
      </Group>
      {trust && trust.level !== 'ordinary' && (
        <Badge
          size="sm"
          mb={4}
          tt="none"
          variant={trust.level === 'hostile' ? 'filled' : 'default'}
          color="red.9"
        >
          {trust.reasons.map((reason) => reason.replaceAll('_', ' ')).join(', ')}
        </Badge>
      )}
      <Text size="sm" component="div">
        <LongText text={(extractedText ?? text ?? preview).trim()} />
      </Text>
    </Box>
  );
}

const CommentEntry = ({ comment }: { comment: Comment }): ReactElement => (
  <Box className={`${style.paper} ${style.comment}`} component="article">
    <Group justify="space-between" gap="xs" mb={4}>
      <Text size="sm" fw={600}>
        <MarkedText text={comment.author.name} /> commented
      </Text>
      <Text size="xs" c="dimmed">
        <Time at={comment.createdAt} />
      </Text>
    </Group>
    <Text size="sm" component="div">
      <LongText text={comment.text} />
    </Text>
  </Box>
);
