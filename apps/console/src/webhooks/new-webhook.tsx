import { Alert, Button, Group, Modal, MultiSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { WebhookSecretAnswer } from '@postroom/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../api/api.js';
import { Copied } from '../keys/secret-once.js';
import { Icon } from '../ui/icons.js';
import { StackForm, useSubmit } from '../ui/submit.js';
import { webhooksQuery } from './webhooks-query.js';

/** The event types that one subscribes to, by what they are about. */
export const eventTypes = [
  {
    group: 'Mail',
    items: [
      'conversation.received',
      'conversation.assigned',
      'conversation.labeled',
      'conversation.commented',
      'message.sent',
    ],
  },
  {
    group: 'Contacts',
    items: ['contact.created', 'contact.updated', 'contact.deleted', 'contact.merged'],
  },
  {
    group: 'Calendar',
    items: [
      'calendar_event.created',
      'calendar_event.updated',
      'calendar_event.deleted',
      'calendar_event.rsvp_changed',
    ],
  },
  { group: 'Tasks', items: ['task.created', 'task.updated', 'task.completed', 'task.deleted'] },
  { group: 'Tests', items: ['integration.test'] },
];

/** Adds a subscription and shows its secret, once. */
export const NewWebhookDialog = (props: { opened: boolean; onClose: () => void }): ReactElement => (
  <Modal
    {...{ ...props, title: 'Add a webhook', size: 'lg', closeOnClickOutside: false }}
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    {props.opened && <NewWebhook onDone={props.onClose} />}
  </Modal>
);

function NewWebhook({ onDone }: { onDone: () => void }): ReactElement {
  const client = useQueryClient();
  const [idempotencyKey] = useState(newIdempotencyKey);
  const [secret, setSecret] = useState<string | null>(null);
  const form = useForm({ initialValues: { url: '', description: '', events: [] as string[] } });
  const submission = useSubmit(form, async (body) => {
    const made = await api.post<WebhookSecretAnswer>('/webhooks', body, { idempotencyKey });
    setSecret(made.secret);
    await client.invalidateQueries(webhooksQuery);
  });
  if (secret !== null) return <WebhookSecret secret={secret} onDone={onDone} />;
  return (
    <StackForm {...{ form, submission }} label="Add the webhook">
      <TextInput
        {...{ label: 'Address', placeholder: 'https://example.com/hook', required: true }}
        data-autofocus
        {...form.getInputProps('url')}
      />
      <TextInput
        {...{ label: 'Description', maxLength: 200 }}
        {...form.getInputProps('description')}
      />
      <MultiSelect
        {...{ label: 'Events', data: eventTypes, searchable: true, clearable: true }}
        placeholder={form.values.events.length === 0 ? 'All events' : ''}
        {...form.getInputProps('events')}
      />
    </StackForm>
  );
}

/** A subscription's secret, shown this once. */
export const WebhookSecret = (props: { secret: string; onDone: () => void }): ReactElement => (
  <Stack>
    <Alert color="yellow" variant="light" icon={<Icon name="key" />} title="Copy the secret now">
      Your service verifies the signature of each request with it (Standard Webhooks). It is shown
      this once.
    </Alert>
    <Copied label="Secret" value={props.secret} />
    <Group justify="flex-end">
      <Button onClick={props.onDone}>I have copied it</Button>
    </Group>
  </Stack>
);
