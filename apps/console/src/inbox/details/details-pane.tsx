import { Anchor, Badge, Button, CloseButton, Group, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useReducer, type ReactElement, type ReactNode } from 'react';
import { useAccount } from '../../api/account.js';
import { ConversationEvents } from '../../calendar/conversation-events.js';
import { KeepSender } from '../../contacts/keep-sender.js';
import { ConversationTasks } from '../../tasks/conversation-tasks.js';
import { useStreamEvents } from '../../stream/stream.js';
import { Icon, type IconName } from '../../ui/icons.js';
import { shortTime, wholeTime } from '../../ui/time.js';
import { conversationQuery, useConversation } from '../conversation-query.js';
import classes from '../inbox.module.css';
import { useInbox, type PickerKind } from '../inbox-state.js';
import { useRow, type Row } from '../list/rows.js';
import { canWrite } from '../triage/use-triage.js';

/** The people, places and work of the open conversation, beside its messages. */
export function DetailsPane({ id }: { id: string }): ReactElement | null {
  const row = useRow(id);
  const account = useAccount();
  if (!row) return null;
  const isWritable = canWrite(account, row.mailbox);
  return (
    <Stack gap="lg" p="md">
      <Person row={row} />
      <Stack gap={2}>
        <Properties row={row} isWritable={isWritable} />
        <Labels row={row} isWritable={isWritable} />
      </Stack>
      <Linked row={row} />
      <Facts row={row} />
    </Stack>
  );
}

/** The one it is with: its sender, or the first recipient of a conversation that the team began. */
function personOf({ from, participants, contact }: Row): { name: string; email: string | null } {
  const { name, email = null } = from ?? participants[0] ?? {};
  return { name: contact?.name ?? (name || email || 'Unknown sender'), email };
}

function Person({ row }: { row: Row }): ReactElement {
  const { from, contact } = row;
  const { name, email } = personOf(row);
  return (
    <div>
      <Title order={2} size="h5">
        <bdi>{name}</bdi>
      </Title>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        <bdi>{email}</bdi>
      </Text>
      {contact ? (
        <Anchor component={Link} to={`/contacts/${contact.id}`} size="sm">
          Contact and history
        </Anchor>
      ) : (
        from && <Stranger row={row} />
      )}
    </div>
  );
}

function Stranger({ row }: { row: Row }): ReactElement {
  const { data } = useConversation(row.id, row.mailbox);
  useContactsTold(row);
  const received = data?.messages.findLast(({ direction }) => direction === 'inbound');
  return (
    <Stack gap={6} align="flex-start">
      <Text size="xs" c="dimmed">
        Not among your contacts
      </Text>
      {received && <KeepSender key={received.id} messageId={received.id} />}
    </Stack>
  );
}

/** Mail learns of a new contact some moments after the stream has told of it. */
const learntAfterMs = [200, 1_000, 3_000];

/** Looks again whether the sender is a contact, after contacts have changed. */
function useContactsTold({ id, mailbox }: Row): void {
  const client = useQueryClient();
  const [told, tell] = useReducer((count: number) => count + 1, 0);
  useStreamEvents(({ type }) => {
    if (type.startsWith('contact.')) tell();
  });
  useEffect(() => {
    if (told === 0) return undefined;
    const { queryKey } = conversationQuery(id, mailbox);
    const look = (): void => void client.invalidateQueries({ queryKey });
    const timers = learntAfterMs.map((ms) => setTimeout(look, ms));
    return () => timers.forEach(clearTimeout);
  }, [client, id, mailbox, told]);
}

function Properties({ row, isWritable }: { row: Row; isWritable: boolean }): ReactElement {
  const { members, teams } = useAccount();
  const assignee = members.find(({ email }) => email === row.assignee)?.name ?? row.assignee;
  const team = teams.find(({ id }) => id === row.teamId)?.name;
  return (
    <>
      <Property
        {...{ isWritable, kind: 'assign', icon: 'assign', label: 'Assignee' }}
        value={assignee ?? 'Nobody'}
      />
      <Property
        {...{ isWritable, kind: 'assign', icon: 'team', label: 'Team' }}
        value={team ?? 'None'}
      />
      <Property
        {...{ isWritable, kind: 'status', icon: 'check', label: 'Status' }}
        value={row.status}
      />
      <Property
        {...{ isWritable, kind: 'move', icon: 'inbox', label: 'Place' }}
        value={row.placement}
      />
      <Property
        {...{ isWritable, kind: 'snooze', icon: 'snooze', label: 'Snoozed' }}
        value={row.snoozedUntil === null ? 'No' : shortTime(new Date(row.snoozedUntil))}
      />
    </>
  );
}

function Property(props: {
  kind: PickerKind;
  icon: IconName;
  label: string;
  value: string;
  isWritable: boolean;
}): ReactElement {
  const { pick } = useInbox();
  return (
    <button
      {...{ type: 'button', className: classes.property, disabled: !props.isWritable }}
      onClick={() => pick(props.kind)}
    >
      <Icon name={props.icon} size={15} />
      <span className={classes.propertyName}>{props.label}</span>
      <bdi className={classes.propertyValue}>{props.value}</bdi>
    </button>
  );
}

function Labels({ row, isWritable }: { row: Row; isWritable: boolean }): ReactElement {
  const { change, pick } = useInbox();
  return (
    <Group gap={6} mt="xs">
      {row.labels.map((label) => (
        <Badge
          key={label}
          {...{
            variant: 'light',
            color: 'gray',
            tt: 'none',
            pr: isWritable ? 3 : 'xs',
            maw: 220,
          }}
          rightSection={
            isWritable && (
              <CloseButton
                {...{ size: 14, 'aria-label': `Remove the label ${label}` }}
                onClick={() => change({ action: 'labels', add: [], remove: [label] })}
              />
            )
          }
        >
          <bdi>{label}</bdi>
        </Badge>
      ))}
      {isWritable && (
        <Button
          {...{
            size: 'compact-xs',
            variant: 'subtle',
            leftSection: <Icon name="plus" size={12} />,
          }}
          onClick={() => pick('label')}
        >
          Label
        </Button>
      )}
    </Group>
  );
}

function Linked({ row }: { row: Row }): ReactElement {
  const conversation = { conversationId: row.id, mailbox: row.mailbox };
  return (
    <>
      <Stack gap={4}>
        <Title order={3} size="h6">
          Tasks
        </Title>
        <ConversationTasks {...conversation} />
      </Stack>
      <Stack gap={4}>
        <Title order={3} size="h6">
          Events
        </Title>
        <ConversationEvents {...conversation} />
      </Stack>
    </>
  );
}

function Facts({ row }: { row: Row }): ReactElement {
  const { member } = useAccount();
  const facts: readonly [string, ReactNode][] = [
    ['Mailbox', row.mailbox],
    ['Began', wholeTime(new Date(row.createdAt))],
    ...(row.waitingSince === null
      ? []
      : [['Waits since', wholeTime(new Date(row.waitingSince))] as [string, ReactNode]]),
  ];
  return (
    <Stack gap={6}>
      {facts.map(([name, value]) => (
        <Text key={name} size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {name}: {value}
        </Text>
      ))}
      {member.role === 'admin' && (
        <Anchor component={Link} to={`/audit?subject=${row.id}`} size="sm">
          Audit of this conversation
        </Anchor>
      )}
    </Stack>
  );
}
