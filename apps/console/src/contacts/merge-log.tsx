import type { Contact, Unmerged } from '@postroom/contracts';
import { Button, Box, Group, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import { tellDone, tellFailure } from '../ui/notices.js';
import { Time } from '../ui/time.js';
import { useFreshContacts } from './contact-query.js';

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
