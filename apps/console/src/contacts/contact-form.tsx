import type { Contact, ContactAnswer, ContactStored } from '@postroom/contracts';
import { Button, Group, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { fieldErrorsOf } from '../api/problem.js';
import { isVersionConflict, useEdits } from '../ui/conflict.js';
import { tellDone } from '../ui/notices.js';
import { ErrorState } from '../ui/states.js';
import { ContactFields } from './contact-fields.js';
import { useFreshContacts } from './contact-query.js';
import {
  contactChanges,
  contactLabels,
  contactValues,
  type ContactValues,
} from './contact-values.js';

/** A contact in place of its card, to be changed from the version that was opened. */
export function ContactForm(props: { contact: Contact; onClose: () => void }): ReactElement {
  const { contact, onClose } = props;
  const fresh = useFreshContacts();
  const [failure, setFailure] = useState<unknown>(null);
  const form = useForm<ContactValues>({ initialValues: contactValues(contact) });
  const edits = useEdits(form, contact, contactValues, contactLabels);
  const { opened, changed } = edits;
  const save = form.onSubmit(async (values) => {
    setFailure(null);
    const path = `/v1/contacts/${contact.id}`;
    try {
      const body = { contact: contactChanges(values, changed) };
      await api.patch<ContactStored>(path, body, { ifMatch: opened.version });
      await fresh();
      tellDone('Saved.');
      onClose();
    } catch (error) {
      if (!isVersionConflict(error)) {
        const faults = Object.entries(fieldErrorsOf(error));
        form.setErrors(
          Object.fromEntries(
            faults.map(([field, text]) => [field.replace(/^contact\./, ''), text]),
          ),
        );
        return setFailure(error);
      }
      edits.meet((await api.get<ContactAnswer>(path)).contact);
    }
  });
  return (
    <form onSubmit={save} aria-label="Edit the contact">
      <Stack maw={640}>
        {edits.notice}
        {failure !== null && <ErrorState error={failure} />}
        <ContactFields form={form} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.submitting} disabled={changed.length === 0}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
