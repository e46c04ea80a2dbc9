import { Avatar, Badge, Group, Text, UnstyledButton } from '@mantine/core';
import type { Message } from '@postroom/contracts';
import { useState, type ReactElement } from 'react';
import { InvitationCard } from '../../calendar/invitation-card.js';
import { Time } from '../../ui/time.js';
import classes from '../inbox.module.css';
import { Attachments } from './attachments.js';
import { MessageBody } from './message-body.js';
import { MessageMenu } from './message-menu.js';
import { Recipients } from './recipients.js';
import { BounceNotice, TrustNotice } from './trust-notice.js';

interface MessageProps {
  readonly message: Message;
  readonly mailbox: string;
  /** True if it is open at first. */
  readonly opens: boolean;
}

/** A message: folded to a line, or with its text and files. */
export function MessageItem({ message, mailbox, opens }: MessageProps): ReactElement {
  const [isOpen, setIsOpen] = useState(opens);
  const [isPlain, setIsPlain] = useState(false);
  return (
    <article
      className={classes.message}
      data-outbound={message.direction === 'outbound' || undefined}
      aria-label={`Message of ${nameOf(message)}`}
    >
      <div className={classes.messageHead}>
        <UnstyledButton
          {...{ className: classes.messageToggle, onClick: () => setIsOpen(!isOpen) }}
          aria-expanded={isOpen}
        >
          <Sender {...{ message, isOpen }} />
        </UnstyledButton>
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          <Time at={message.receivedAt} form="day" />
        </Text>
        {isOpen && (
          <MessageMenu {...{ message, mailbox, isPlain }} onPlain={() => setIsPlain(!isPlain)} />
        )}
      </div>
      {isOpen && (
        <>
          <Recipients message={message} />
          <BounceNotice message={message} />
          <TrustNotice message={message} />
          <InvitationCard {...{ message, mailbox }} />
          <MessageBody {...{ message, mailbox, isPlain }} />
          <Attachments {...{ message, mailbox }} />
        </>
      )}
    </article>
  );
}

const nameOf = ({ from }: Message): string => from?.name || from?.email || 'Unknown sender';

function Sender({ message, isOpen }: { message: Message; isOpen: boolean }): ReactElement {
  const isSent = message.direction === 'outbound';
  const name = nameOf(message);
  return (
    <>
      <Avatar {...{ name, size: 32, color: isSent ? 'indigo' : 'gray' }} alt="" />
      <span className={classes.lines}>
        <Group gap={6} wrap="nowrap" component="span">
          <Text size="sm" fw={600} truncate component="span">
            <bdi>{name}</bdi>
          </Text>
          {message.isAutoReply && <Tag text="automatic" />}
          {isSent && <Tag text="sent" />}
        </Group>
        <Text size="xs" c="dimmed" truncate component="span" display="block">
          <bdi>{isOpen ? message.from?.email : message.preview}</bdi>
        </Text>
      </span>
    </>
  );
}

const Tag = ({ text }: { text: string }): ReactElement => (
  <Badge size="xs" variant="light" color="gray" tt="none" style={{ flexShrink: 0 }}>
    {text}
  </Badge>
);
