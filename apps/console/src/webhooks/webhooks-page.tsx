import { Anchor, Badge, Button, Group, Paper, Stack, Text } from '@mantine/core';
import type { Webhook } from '@postroom/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useStreamEvents } from '../stream/stream.js';
import { Icon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import { NewWebhookDialog } from './new-webhook.js';
import { webhooksQuery } from './webhooks-query.js';

/** The webhook subscriptions of the workspace. */
export function WebhooksPage(): ReactElement {
  const client = useQueryClient();
  const [isAdding, setIsAdding] = useState(false);
  useStreamEvents(({ type }) => {
    if (type === 'webhook.disabled') void client.invalidateQueries(webhooksQuery);
  });
  return (
    <Page
      title="Webhooks"
      width={860}
      intro="What happens in the workspace, posted to your own address as it happens, signed."
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setIsAdding(true)}>
          Add a webhook
        </Button>
      }
    >
      <WebhookList />
      <NewWebhookDialog opened={isAdding} onClose={() => setIsAdding(false)} />
    </Page>
  );
}

function WebhookList(): ReactElement {
  const { data, error, refetch } = useQuery(webhooksQuery);
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!data) return <Loading label="Loading the webhooks" />;
  if (data.length === 0)
    return (
      <EmptyState icon="webhook" title="No webhook yet">
        Add the address of your service: it is told of mail, contacts, events and tasks.
      </EmptyState>
    );
  return (
    <Stack gap="xs">
      {data.map((webhook) => (
        <Paper key={webhook.id} withBorder p="sm">
          <Group justify="space-between" gap="xs" wrap="nowrap">
            <Stack gap={2} miw={0}>
              <Anchor component={Link} to={`/webhooks/${webhook.id}`} fw={600} size="sm" truncate>
                {webhook.url}
              </Anchor>
              <Text size="xs" c="dimmed">
                {webhook.description === '' ? '' : `${webhook.description} · `}
                {eventsIn(webhook)}
              </Text>
            </Stack>
            <StatusBadge webhook={webhook} />
          </Group>
        </Paper>
      ))}
    </Stack>
  );
}

/** The events that a subscription asks for, in words. */
export const eventsIn = ({ events }: Webhook): string =>
  events.length === 0 ? 'all events' : events.join(', ');

const statusColours = { active: 'teal.9', paused: 'gray', disabled: 'red.9' } as const;

export const StatusBadge = ({ webhook }: { webhook: Webhook }): ReactElement => (
  <Badge color={statusColours[webhook.status]} variant="filled" tt="none" miw="fit-content">
    {webhook.status}
    {webhook.disabledReason !== null && `: ${webhook.disabledReason}`}
  </Badge>
);
