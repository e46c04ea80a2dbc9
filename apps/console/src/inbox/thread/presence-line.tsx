import type { Conversation } from '@postroom/contracts';
import { Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { Icon } from '../../ui/icons.js';
import { shortTime } from '../../ui/time.js';
import classes from '../inbox.module.css';
import { usePresentAt, type Present } from '../presence.js';

const names = new Intl.ListFormat('en');

const sentence = (present: readonly Present[], state: Present['state'], doing: string): string => {
  const some = present.filter((one) => one.state === state).map(({ name }) => name);
  return some.length === 0
    ? ''
    : `${names.format(some)} ${some.length > 1 ? 'are' : 'is'} ${doing}. `;
};

/** The colleagues who look at the conversation too, those who write an answer, and who has said to be answering. */
export function PresenceLine({ conversation }: { conversation: Conversation }): ReactElement {
  const { id, leasedBy: lease } = conversation;
  const present = usePresentAt(id);
  const [now] = useState(() => new Date());
  const isLeased = lease !== null && new Date(lease.until) > now;
  const isWriting = isLeased || present.some(({ state }) => state === 'writing');
  const text =
    (isLeased ? `${lease.by.name} answers this until ${shortTime(new Date(lease.until))}. ` : '') +
    sentence(present, 'writing', 'writing an answer') +
    sentence(present, 'viewing', 'reading this too');
  return (
    <div role="status">
      {text !== '' && (
        <div className={classes.present} data-writing={isWriting || undefined}>
          <Icon name={isWriting ? 'warning' : 'eye'} size={16} />
          <Text size="sm">
            <bdi>{text}</bdi>
          </Text>
        </div>
      )}
    </div>
  );
}
