import { Avatar, Badge, Mark, Text, Tooltip } from '@mantine/core';
import type { SearchResult } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type CSSProperties, type MouseEvent, type ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { nameOfRecipients } from '../../compose/words.js';
import { Icon, type IconName } from '../../ui/icons.js';
import { Time } from '../../ui/time.js';
import { conversationQuery } from '../conversation-query.js';
import classes from '../inbox.module.css';
import { useInbox } from '../inbox-state.js';
import { usePresentAt } from '../presence.js';
import { useRow, type Row } from './rows.js';

interface RowProps {
  readonly id: string;
  readonly index: number;
  readonly total: number;
  readonly isAtCursor: boolean;
  readonly isOpen: boolean;
  readonly isSelected: boolean;
  readonly hit: SearchResult | undefined;
  readonly style: CSSProperties;
  readonly onClick: (event: MouseEvent) => void;
  readonly onSelect: (event: MouseEvent) => void;
}

interface LineProps {
  readonly row: Row;
  readonly hit: SearchResult | undefined;
  /** The message that was found is shown, not the newest. */
  readonly isSent: boolean;
}

export const rowDomId = (id: string): string => `row-${id}`;

/** A conversation in the list, always of one height. */
export function ConversationRow(props: RowProps): ReactElement | null {
  const { id, index, total, isAtCursor, isOpen, isSelected, style, hit } = props;
  const row = useRow(id);
  const isSent = useInbox().query.view === 'sent';
  if (!row) return null;
  return (
    <div
      {...{ role: 'option', id: rowDomId(id), className: classes.row, style }}
      {...{ 'aria-selected': isSelected, 'aria-setsize': total, 'aria-posinset': index + 1 }}
      aria-current={isOpen || undefined}
      data-cursor={isAtCursor || undefined}
      data-unread={row.unread || undefined}
      onClick={props.onClick}
    >
      <span className={classes.mark} onClick={props.onSelect} aria-hidden="true">
        <span className={classes.box}>{isSelected && <Icon name="check" size={12} />}</span>
      </span>
      <div className={classes.lines}>
        <FirstLine {...{ row, hit, isSent }} />
        <SubjectLine {...{ row, hit, isSent }} />
        <LastLine {...{ row, hit, isSent }} />
      </div>
    </div>
  );
}

/** A row that scrolls by is not asked for. */
const readAfterMs = 250;

/** The recipients of a message that was sent, which a search does not return; empty until they are known. */
function useSentTo({ id, mailbox }: Row, messageId: string | undefined): string {
  const [isDue, setIsDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsDue(true), readAfterMs);
    return () => clearTimeout(timer);
  }, []);
  const { data } = useQuery({ ...conversationQuery(id, mailbox), enabled: isDue });
  const message = data?.messages.find((one) => one.id === messageId);
  return message ? nameOfRecipients(message) : '';
}

const nameOf = ({ from, participants }: Row): string => {
  const [first] = from ? [from] : participants;
  return first ? first.name || first.email || 'Unknown sender' : 'Unknown sender';
};

const SentTo = (props: { row: Row; hit: SearchResult | undefined }): ReactElement => (
  <>
    To <bdi>{useSentTo(props.row, props.hit?.messageId)}</bdi>
  </>
);

const FirstLine = ({ row, hit, isSent }: LineProps): ReactElement => (
  <div className={classes.line}>
    {row.unread && <span className="visually-hidden">Unread. </span>}
    <Text size="sm" truncate className={classes.sender} component="span">
      {isSent ? <SentTo {...{ row, hit }} /> : <bdi>{nameOf(row)}</bdi>}
      {row.messageCount > 1 && (
        <Text span inherit c="dimmed" fw={400}>
          {' '}
          {row.messageCount}
        </Text>
      )}
    </Text>
    <PresentInRow id={row.id} />
    <RowMark is={row.hasAttachments} icon="attach" label="Has files" />
    <RowMark is={row.draftCount > 0} icon="edit" label="Has a draft" />
    <RowMark is={row.commentCount > 0} icon="comment" label="Has comments" />
    <Text size="xs" c="dimmed" className={classes.time} component="span">
      <Time at={row.lastMessageAt} />
    </Text>
  </div>
);

const RowMark = (props: { is: boolean; icon: IconName; label: string }): ReactElement | null =>
  props.is ? (
    <Text c="dimmed" span className={classes.icon}>
      <Icon name={props.icon} size={13} />
      <span className="visually-hidden">{props.label}. </span>
    </Text>
  ) : null;

const SubjectLine = ({ row, hit, isSent }: LineProps): ReactElement => {
  const subject = hit?.highlights.subject[0] ?? (isSent && hit ? hit : row).subject;
  return (
    <Text size="sm" truncate className={classes.subject} component="div">
      <Highlighted text={subject || '(no subject)'} />
    </Text>
  );
};

function LastLine({ row, hit, isSent }: LineProps): ReactElement {
  const preview = hit?.highlights.text[0] ?? (isSent && hit ? hit : row).preview;
  return (
    <div className={classes.line}>
      <Text size="xs" c="dimmed" truncate className={classes.preview} component="span">
        <Highlighted text={preview} />
      </Text>
      {row.labels.slice(0, 2).map((label) => (
        <Badge key={label} {...{ size: 'xs', variant: 'light', color: 'gray' }} maw={90} tt="none">
          {label}
        </Badge>
      ))}
      {row.status !== 'open' && (
        <Badge
          size="xs"
          variant="outline"
          color={row.status === 'closed' ? 'gray' : 'yellow.9'}
          tt="none"
        >
          {row.status}
        </Badge>
      )}
      <AssigneeMark email={row.assignee} />
    </div>
  );
}

function AssigneeMark({ email }: { email: string | null }): ReactElement | null {
  const { members } = useAccount();
  if (email === null) return null;
  const name = members.find((member) => member.email === email)?.name ?? email;
  return (
    <Tooltip label={`Assigned to ${name}`}>
      <Avatar {...{ name, size: 18, color: 'indigo' }} alt={`Assigned to ${name}`} />
    </Tooltip>
  );
}

function PresentInRow({ id }: { id: string }): ReactElement | null {
  const [first, ...others] = usePresentAt(id);
  if (!first) return null;
  const words = first.state === 'writing' ? 'is writing' : 'is reading';
  return (
    <Badge
      {...{ size: 'xs', tt: 'none', maw: 130, variant: 'light' }}
      color={first.state === 'writing' ? 'orange.9' : 'indigo'}
    >
      {first.name.split(' ')[0]} {words}
      {others.length > 0 && ` +${others.length}`}
    </Badge>
  );
}

/** A piece of a message in which `«` and `»` stand around what was searched. */
const Highlighted = ({ text }: { text: string }): ReactElement => (
  <bdi>
    {text.split(/«([^»]*)»/).map((part, i) => (i % 2 === 1 ? <Mark key={i}>{part}</Mark> : part))}
  </bdi>
);
