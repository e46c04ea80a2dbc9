import { List, Text } from '@mantine/core';
import type { Message, TrustReason } from '@postroom/contracts';
import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../../ui/icons.js';
import classes from '../inbox.module.css';

const reasons: Readonly<Record<TrustReason, string>> = {
  auth_failed: 'Its sender’s domain says that it did not send it.',
  auth_missing: 'Nothing proves that its sender’s domain sent it.',
  sender_name: 'The name of the sender looks like that of somebody else.',
  lookalike_domain: 'The sender’s domain looks like one that you know.',
  hidden_text: 'It contains text that is hidden from readers.',
  instructions: 'It contains text that is written for an AI agent.',
  misleading_link: 'A link shows another address than the one it leads to.',
};

/** The reasons against trusting a message; nothing where it is ordinary. */
export function TrustNotice({ message: { trust } }: { message: Message }): ReactElement | null {
  if (!trust || trust.level === 'ordinary') return null;
  const [first, ...others] = trust.reasons;
  // Much honest mail proves nothing either.
  if (first === 'auth_missing' && others.length === 0)
    return (
      <Text size="xs" c="dimmed" mb="xs">
        {reasons.auth_missing}
      </Text>
    );
  const isHostile = trust.level === 'hostile';
  return (
    <Notice
      isGrave={isHostile}
      title={isHostile ? 'This message is probably a fraud' : 'Be careful with this message'}
    >
      <List size="sm">
        {trust.reasons.map((reason) => (
          <List.Item key={reason}>{reasons[reason]}</List.Item>
        ))}
      </List>
    </Notice>
  );
}

const Notice = (props: { isGrave: boolean; title: string; children: ReactNode }): ReactElement => (
  <div className={classes.notice} data-grave={props.isGrave || undefined} role="note">
    <Icon name="warning" size={16} />
    <div>
      <Text size="sm" fw={600}>
        <bdi>{props.title}</bdi>
      </Text>
      <Text size="sm" component="div">
        {props.children}
      </Text>
    </div>
  </div>
);

const acts: Readonly<Record<string, string>> = {
  failed: 'was not delivered',
  delayed: 'is delayed',
  delivered: 'was delivered',
  relayed: 'was passed on to another server',
  expanded: 'was delivered to a list',
  complained: 'was reported as spam by its recipient',
};

/** The content of a report on a message that was sent. */
export function BounceNotice({ message }: { message: Message }): ReactElement | null {
  if (!message.bounce) return null;
  const { bounced } = message;
  return (
    <Notice isGrave={false} title={bounced ? reportOf(bounced) : 'A message was not delivered'}>
      {bounced?.text ?? 'The report gives no reason.'}
    </Notice>
  );
}

function reportOf({ recipient, action, status }: NonNullable<Message['bounced']>): string {
  const to = recipient === null ? '' : ` to ${recipient}`;
  const code = status === null ? '' : ` (${status})`;
  return `A message${to} ${acts[action] ?? 'was not delivered'}${code}`;
}
