import { Text } from '@mantine/core';
import type { Message } from '@postroom/contracts';
import { Fragment, type ReactElement } from 'react';

type Person = Message['to'][number];

const shownMax = 6;

/** Recipients by field, and where an answer goes where that is elsewhere. */
export function Recipients({ message }: { message: Message }): ReactElement {
  const { to, cc, bcc, replyTo, from, recipientsTruncated } = message;
  const other = replyTo.filter(({ email }) => email !== from?.email);
  return (
    <Text size="xs" c="dimmed" component="div" mb="xs">
      <Field label="To" people={to} />
      <Field label="Cc" people={cc} />
      <Field label="Bcc" people={bcc} />
      <Field label="Answers go to" people={other} />
      {recipientsTruncated === true && <div>There are more recipients than are shown.</div>}
    </Text>
  );
}

function Field({
  label,
  people,
}: {
  label: string;
  people: readonly Person[];
}): ReactElement | null {
  if (people.length === 0) return null;
  const more = people.length - shownMax;
  return (
    <div style={{ overflowWrap: 'anywhere' }}>
      {label}:{' '}
      {people.slice(0, shownMax).map((person, i) => (
        <Fragment key={i}>
          {i > 0 && ', '}
          <bdi>{nameOf(person)}</bdi>
        </Fragment>
      ))}
      {more > 0 && ` and ${more} more`}
    </div>
  );
}

const nameOf = ({ name, email }: Person): string =>
  name && email && name !== email ? `${name} <${email}>` : name || email || 'unknown';
