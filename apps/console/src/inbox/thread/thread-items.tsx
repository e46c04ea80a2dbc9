import { Alert, Group, Text, UnstyledButton } from '@mantine/core';
import type { Comment, Conversation, Message } from '@postroom/contracts';
import { useState, type ReactElement } from 'react';
import { PlainText } from '../../mail-frame/plain-text.js';
import { Icon } from '../../ui/icons.js';
import { Time } from '../../ui/time.js';
import classes from '../inbox.module.css';
import { MessageItem } from './message-item.js';

type Item =
  | { readonly at: string; readonly message: Message }
  | { readonly at: string; readonly comment: Comment };

/** Folded messages of a long conversation that are shown at first. */
const shownFirst = 4;

const itemsOf = ({ messages, comments }: Conversation): readonly Item[] =>
  [
    ...messages.map((message) => ({ at: message.receivedAt, message })),
    ...comments.map((comment) => ({ at: comment.createdAt, comment })),
  ].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));

/** Messages and comments in the order of time; of a long conversation the middle is folded. */
export function ThreadItems({ conversation }: { conversation: Conversation }): ReactElement {
  const [isWhole, setIsWhole] = useState(false);
  const items = itemsOf(conversation);
  const newest = conversation.messages.at(-1);
  const hidden = isWhole || items.length <= shownFirst + 2 ? 0 : items.length - shownFirst - 1;
  const shown = hidden === 0 ? items : [...items.slice(0, 1), ...items.slice(1 + hidden)];
  return (
    <>
      {conversation.messagesTruncated && (
        <Alert variant="light" color="gray" p="xs">
          The text of the oldest messages is left out, since the conversation is very long.
        </Alert>
      )}
      {shown.map((item, i) => (
        <div key={'message' in item ? item.message.id : item.comment.id}>
          {hidden > 0 && i === 1 && (
            <UnstyledButton className={classes.folded} onClick={() => setIsWhole(true)}>
              Show {hidden} older
            </UnstyledButton>
          )}
          {'message' in item ? (
            <MessageItem
              {...{ message: item.message, mailbox: conversation.mailbox }}
              opens={item.message.id === newest?.id}
            />
          ) : (
            <CommentItem comment={item.comment} />
          )}
        </div>
      ))}
    </>
  );
}

/** A comment of the team: it looks unlike anything that a correspondent sees. */
const CommentItem = ({ comment }: { comment: Comment }): ReactElement => (
  <article className={classes.comment} aria-label={`Internal comment by ${comment.author.name}`}>
    <Group gap={6} wrap="nowrap">
      <Icon name={comment.author.type === 'key' ? 'agent' : 'comment'} size={15} />
      <Text size="sm" fw={600} truncate>
        <bdi>{comment.author.name}</bdi>
      </Text>
      <Text size="xs" inherit={false}>
        to the team
      </Text>
      <Text size="xs" ml="auto" style={{ whiteSpace: 'nowrap' }}>
        <Time at={comment.createdAt} form="day" />
      </Text>
    </Group>
    <PlainText text={comment.text} />
  </article>
);
