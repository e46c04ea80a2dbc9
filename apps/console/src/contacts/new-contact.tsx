import type { ContactCreated } from '@postroom/contracts';
import { Button, Group, Select, Stack, Title } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api, newIdempotencyKey } from '../api/api.js';
import { useUnsavedText } from '../shell/unsaved.js';
import { tellDone } from '../ui/notices.js';
import { EmptyState } from '../ui/states.js';
import { FormFault, useSubmit } from '../ui/submit.js';
import { ContactFields } from './contact-fields.js';
import { useFreshContacts } from './contact-query.js';
import { contactChanges, emptyContact, type ContactValues } from './contact-values.js';

/** A new contact, in a book that the member may write in. */
export function NewContact(props: {
  bookId: string | undefined;
  onDone: (id: string) => void;
  onCancel: () => void;
}): ReactElement {
  const { addressBooks } = useAccount();
  const books = addressBooks.filter(({ access }) => access === 'write');
  const [bookId, setBookId] = useState(props.bookId ?? books[0]?.id ?? null);
  const [idempotencyKey] = useState(newIdempotencyKey);
  const fresh = useFreshContacts();
  const form = useForm<ContactValues>({ initialValues: emptyContact });
  useUnsavedText(form.isDirty());
  const { onSubmit, fault } = useSubmit(form, async (values) => {
    const body = { bookId, ...contactChanges(values, Object.keys(values)) };
    const { contact, existed } = await api.post<ContactCreated>('/v1/contacts', body, {
      idempotencyKey,
    });
    await fresh();
    tellDone(existed ? 'The book had this contact: it has what you wrote now.' : 'Saved.');
    props.onDone(contact.id);
  });
  if (books.length === 0)
    return (
      <EmptyState icon="contacts" title="There is no book that you may write in">
        An administrator can give you access to one.
      </EmptyState>
    );
  return (
    <form onSubmit={onSubmit} aria-label="New contact">
      <Stack maw={640}>
        <Title order={2} size="h3">
          New contact
        </Title>
        <FormFault fault={fault} />
        {books.length > 1 && (
          <Select
            {...{ label: 'Book', value: bookId, onChange: setBookId, allowDeselect: false }}
            data={books.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
        <ContactFields form={form} />
        <Group justify="flex-end">
          <Button variant="default" onClick={props.onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting} disabled={!form.isDirty()}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
