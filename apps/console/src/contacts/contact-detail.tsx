import type { Contact } from '@postroom/contracts';
import { ActionIcon, Avatar, Badge, Box, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api, urlOf } from '../api/api.js';
import { ApiProblem } from '../api/problem.js';
import { useShortcuts } from '../shell/shortcuts.js';
import { Icon } from '../ui/icons.js';
import { offerUndo, tellFailure } from '../ui/notices.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import { ContactConversations } from './contact-conversations.js';
import { ContactFacts, MergeLog } from './contact-facts.js';
import { ContactForm } from './contact-form.js';
import { contactQuery, useFreshContacts } from './contact-query.js';
import { contactChanges, contactValues } from './contact-values.js';

/** A contact in full: what is known, and its conversations; changed in place. */
export function ContactDetail({ id, onBack }: { id: string; onBack: () => void }): ReactElement {
  const { data: contact, error, refetch } = useQuery(contactQuery(id));
  const [isEditing, setIsEditing] = useState(false);
  if (error instanceof ApiProblem && error.status === 404)
    return (
      <EmptyState
        {...{ icon: 'contacts', title: 'This contact is gone' }}
        action={<Button onClick={onBack}>Back to the list</Button>}
      >
        It was deleted, or merged into another one.
      </EmptyState>
    );
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!contact) return <Loading />;
  if (isEditing) return <ContactForm {...{ contact, onClose: () => setIsEditing(false) }} />;
  return <Card {...{ contact, onBack, onEdit: () => setIsEditing(true) }} />;
}

function Card(props: { contact: Contact; onBack: () => void; onEdit: () => void }): ReactElement {
  const { contact, onBack, onEdit } = props;
  const { addressBooks } = useAccount();
  const book = addressBooks.find(({ id }) => id === contact.bookId);
  const mayWrite = book?.access === 'write';
  useShortcuts(mayWrite ? [{ keys: 'e', label: 'Edit the contact', run: onEdit }] : []);
  return (
    <Stack maw={640} gap="lg">
      <Group wrap="nowrap" align="flex-start">
        <ActionIcon {...{ variant: 'subtle', hiddenFrom: 'md', onClick: onBack }} aria-label="Back">
          <Icon name="back" />
        </ActionIcon>
        <Avatar
          {...{ name: contact.displayName, variant: 'default', size: 64, alt: '' }}
          {...(contact.hasPhoto && { src: urlOf(`/v1/contacts/${contact.id}/photo`) })}
        />
        <Box flex={1} miw={0}>
          <Title order={2} size="h3" style={{ overflowWrap: 'anywhere' }}>
            <bdi>{contact.displayName}</bdi>
          </Title>
          <Text size="sm" c="dimmed">
            <bdi>{[contact.jobTitle, contact.organization].filter(Boolean).join(', ')}</bdi>
          </Text>
          <Group gap={4} pt={4}>
            {book && (
              <Badge variant="default" tt="none">
                {book.name}
              </Badge>
            )}
            {contact.groups.map((group) => (
              <Badge key={group} variant="light" tt="none">
                {group}
              </Badge>
            ))}
          </Group>
        </Box>
        {mayWrite && (
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={onEdit}>
              Edit
            </Button>
            <Remove contact={contact} onBack={onBack} />
          </Group>
        )}
      </Group>
      <ContactFacts contact={contact} />
      <ContactConversations contactId={contact.id} />
      <MergeLog contact={contact} />
    </Stack>
  );
}

/** Undoing makes the contact anew, with all that it said. */
function Remove({ contact, onBack }: { contact: Contact; onBack: () => void }): ReactElement {
  const fresh = useFreshContacts();
  const remove = async (): Promise<void> => {
    try {
      await api.delete(`/v1/contacts/${contact.id}`, { ifMatch: contact.version });
      onBack();
      await fresh();
      const values = contactValues(contact);
      const body = { bookId: contact.bookId, ...contactChanges(values, Object.keys(values)) };
      offerUndo(
        `Deleted: ${contact.displayName}.`,
        () => void api.post('/v1/contacts', body).then(fresh, tellFailure),
      );
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <Button {...{ size: 'xs', variant: 'subtle', color: 'red' }} onClick={() => void remove()}>
      Delete
    </Button>
  );
}
