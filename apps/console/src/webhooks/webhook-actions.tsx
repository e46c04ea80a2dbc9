import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { Webhook, WebhookSecretAnswer, WebhookTestAnswer } from '@postroom/contracts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { Icon } from '../ui/icons.js';
import { AskDialog } from '../ui/ask-dialog.js';
import { tellDone, tellFailure } from '../ui/notices.js';
import { ErrorState } from '../ui/states.js';
import { WebhookSecret } from './new-webhook.js';
import { webhooksQuery } from './webhooks-query.js';

/** Pause, resume, test, rotate and remove. */
export function WebhookActions(props: {
  webhook: Webhook;
  onTested: (eventId: string) => void;
}): ReactElement {
  const { webhook, onTested } = props;
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'rotate' | 'remove' | null>(null);
  const isActive = webhook.status === 'active';
  const status = useMutation({
    mutationFn: () =>
      api.patch(`/webhooks/${webhook.id}`, { status: isActive ? 'paused' : 'active' }),
    onSuccess: () => {
      tellDone(isActive ? 'Paused. Events are kept for 7 days.' : 'It delivers again');
      return client.invalidateQueries(webhooksQuery);
    },
    onError: (error) => tellFailure(error),
  });
  const test = useMutation({
    mutationFn: () => api.post<WebhookTestAnswer>(`/webhooks/${webhook.id}/test`),
    onSuccess: ({ event }) => onTested(event.id),
    onError: (error) => tellFailure(error),
  });
  return (
    <>
      <Button
        {...{ size: 'xs', loading: test.isPending, disabled: webhook.status === 'disabled' }}
        onClick={() => test.mutate()}
        leftSection={<Icon name="send" size={14} />}
      >
        Send a test
      </Button>
      <Button
        {...{ size: 'xs', variant: 'default', loading: status.isPending }}
        onClick={() => status.mutate()}
        leftSection={<Icon name={isActive ? 'pause' : 'play'} size={14} />}
      >
        {isActive ? 'Pause' : 'Resume'}
      </Button>
      <Button size="xs" variant="default" onClick={() => setAsked('rotate')}>
        New secret…
      </Button>
      <Button size="xs" variant="light" color="red" onClick={() => setAsked('remove')}>
        Remove…
      </Button>
      <Modal
        {...{ opened: asked === 'rotate', onClose: () => setAsked(null) }}
        title="Give it a new secret?"
      >
        {asked === 'rotate' && <Rotate webhook={webhook} onDone={() => setAsked(null)} />}
      </Modal>
      {asked === 'remove' && (
        <AskDialog
          {...{ title: 'Remove this webhook?', confirm: 'Remove', onClose: () => setAsked(null) }}
          onConfirm={async () => {
            await api.delete(`/webhooks/${webhook.id}`);
            tellDone('The webhook is removed');
            await navigate({ to: '/webhooks' });
            await client.invalidateQueries(webhooksQuery);
          }}
        >
          What waits for {webhook.url} is not delivered any more. This cannot be undone.
        </AskDialog>
      )}
    </>
  );
}

function Rotate(props: { webhook: Webhook; onDone: () => void }): ReactElement {
  const client = useQueryClient();
  const rotate = useMutation({
    mutationFn: () => api.post<WebhookSecretAnswer>(`/webhooks/${props.webhook.id}/rotate-secret`),
    onSuccess: () => client.invalidateQueries(webhooksQuery),
  });
  if (rotate.data) return <WebhookSecret secret={rotate.data.secret} onDone={props.onDone} />;
  return (
    <Stack>
      <Text size="sm">
        For 24 hours each request is signed with the old secret and the new one, so that your
        service can take the new one without missing anything. After that the old one is worth
        nothing.
      </Text>
      {rotate.error && <ErrorState error={rotate.error} />}
      <Group justify="flex-end">
        <Button data-autofocus loading={rotate.isPending} onClick={() => rotate.mutate()}>
          Make a new secret
        </Button>
      </Group>
    </Stack>
  );
}
