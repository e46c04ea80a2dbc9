import { Button, Divider, Group, Select, Stack, Title } from '@mantine/core';
import type { Webhook } from '@postroom/contracts';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactElement } from 'react';
import { useStreamEvents } from '../stream/stream.js';
import { EmptyState, ErrorState, Loading, ShowMore } from '../ui/states.js';
import { DeliveryRow } from './delivery-row.js';
import { eventTypes } from './new-webhook.js';
import { SendFailed } from './send-failed.js';
import { deliveriesQuery } from './webhooks-query.js';

/** The deliveries of a subscription, by state and event, with their attempts. */
export function Deliveries({ webhook }: { webhook: Webhook }): ReactElement {
  const search = useSearch({ from: '/shell/webhooks/$webhookId' });
  const client = useQueryClient();
  const query = useInfiniteQuery(deliveriesQuery(webhook.id, search));
  const refresh = (): void =>
    void client.invalidateQueries({ queryKey: ['deliveries', webhook.id] });
  useStreamEvents(({ type }) => {
    if (type.startsWith('delivery.') || type === 'webhook.disabled' || type === 'reset') refresh();
  });
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Deliveries
        </Title>
        <Group gap="xs">
          <Button size="xs" variant="subtle" onClick={refresh} loading={query.isRefetching}>
            Refresh
          </Button>
          <SendFailed webhook={webhook} onDone={refresh} />
        </Group>
      </Group>
      <Filters webhookId={webhook.id} />
      {query.error && <ErrorState error={query.error} onRetry={refresh} />}
      {query.isPending && <Loading label="Loading the deliveries" />}
      {query.isSuccess && items.length === 0 && (
        <EmptyState icon="send" title="Nothing was delivered yet">
          Send a test to see an attempt.
        </EmptyState>
      )}
      {items.map((delivery) => (
        <Fragment key={delivery.id}>
          <DeliveryRow delivery={delivery} />
          <Divider />
        </Fragment>
      ))}
      <ShowMore query={query} />
    </Stack>
  );
}

function Filters({ webhookId }: { webhookId: string }): ReactElement {
  const search = useSearch({ from: '/shell/webhooks/$webhookId' });
  const navigate = useNavigate();
  const set = (name: 'delivery' | 'event', value: string | null): void =>
    void navigate({
      to: '/webhooks/$webhookId',
      params: { webhookId },
      search: { ...search, [name]: value ?? undefined },
    });
  return (
    <Group gap="xs">
      <Select
        {...{ size: 'xs', placeholder: 'Any state', clearable: true, w: 150 }}
        aria-label="State"
        data={['pending', 'succeeded', 'failed']}
        value={search.delivery ?? null}
        onChange={(value) => set('delivery', value)}
      />
      <Select
        {...{ size: 'xs', placeholder: 'Any event', clearable: true, searchable: true, w: 220 }}
        aria-label="Event"
        data={eventTypes}
        value={search.event ?? null}
        onChange={(value) => set('event', value)}
      />
    </Group>
  );
}
