import { Anchor, Box, Button, Group, Text, Title } from '@mantine/core';
import type { Contact, ContactItem, Unmerged } from '@postroom/contracts';
import { Fragment, type ReactElement, type ReactNode } from 'react';
import { api } from '../api/api.js';
import { tellDone, tellFailure } from '../ui/notices.js';
import { Time } from '../ui/time.js';
import { useFreshContacts } from './contact-query.js';

interface Fact {
  readonly name: string;
  readonly value: ReactNode;
}

/** All that is known of a contact, a line each. */
export const ContactFacts = ({ contact }: { contact: ContactItem }): ReactElement => (
  <Box
    component="dl"
    m={0}
    style={{ display: 'grid', gridTemplateColumns: '110px 1fr', rowGap: 8 }}
  >
    {factsOf(contact).map(({ name, value }, place) => (
      <Fragment key={place}>
        <Text component="dt" size="sm" c="dimmed">
          {name}
        </Text>
        <Text
          component="dd"
          size="sm"
          m={0}
          style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}
        >
          {value}
        </Text>
      </Fragment>
    ))}
  </Box>
);

const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', timeZone: 'UTC' });

function factsOf(contact: ContactItem): readonly Fact[] {
  const { emails, phones, urls = [], addresses = [], birthday, notes } = contact;
  return [
    ...emails.map(({ value, type }) => ({ name: type ?? 'Mail', value: <bdi>{value}</bdi> })),
    ...phones.map(({ value, type }) => ({
      name: type ?? 'Phone',
      value: <Anchor href={`tel:${value.replaceAll(/[^+\d]/g, '')}`}>{value}</Anchor>,
    })),
    ...urls.map(({ value, type }) => ({
      name: type ?? 'Web page',
      value: (
        <Anchor href={value} target="_blank" rel="noreferrer">
          {value}
        </Anchor>
      ),
    })),
    ...addresses.map(({ type, ...parts }) => ({
      name: type ?? 'Address',
      value: [
        parts.street,
        [parts.postalCode, parts.city].filter(Boolean).join(' '),
        [parts.region, parts.country].filter(Boolean).join(', '),
      ]
        .filter(Boolean)
        .join('\n'),
    })),
    ...(birthday ? [{ name: 'Birthday', value: birthdayInWords(birthday) }] : []),
    ...(notes ? [{ name: 'Notes', value: <bdi>{notes}</bdi> }] : []),
  ];
}

/** The year may be unknown, as in `--01-31`. */
function birthdayInWords(birthday: string): string {
  const [, year, month = '1', date = '1'] = /^(\d{4}|-)-(\d\d)-(\d\d)$/.exec(birthday) ?? [];
  const text = day.format(Date.UTC(2000, Number(month) - 1, Number(date)));
  return year === undefined || year === '-' ? text : `${text} ${year}`;
}

/** The merges of a contact, each of which can be undone while nothing of it has changed. */
export function MergeLog({ contact }: { contact: Contact }): ReactElement | null {
  const fresh = useFreshContacts();
  if (contact.mergeLog.length === 0) return null;
  const unmerge = (id: string): void =>
    void api.post<Unmerged>(`/contacts/${id}/unmerge`, {}).then(({ contact: back }) => {
      tellDone(`${back.displayName} is a contact of its own again.`);
      return fresh();
    }, tellFailure);
  return (
    <Box component="section" aria-label="Merges">
      <Title order={3} size="h5" pb={6}>
        Merges
      </Title>
      {contact.mergeLog.map(({ at, mergedId, fields }) => (
        <Group key={mergedId} justify="space-between">
          <Text size="sm">
            A contact was merged into this one, <Time at={at} form="relative" />
            {fields.length > 0 && ` (${fields.join(', ')})`}
          </Text>
          <Button {...{ size: 'compact-xs', variant: 'default' }} onClick={() => unmerge(mergedId)}>
            Undo the merge
          </Button>
        </Group>
      ))}
    </Box>
  );
}
