import { Group, Loader, Paper, Stack, Text } from '@mantine/core';
import type { DeliveryPage, Webhook } from '@postroom/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { DeliveryRow } from './delivery-row.js';
import { untilAttemptMs } from './webhooks-query.js';

/** Pauses between two looks at a test without an attempt: the stream has events of failures only. */
const lookMs = [300, 500, 1_000, 2_000, 4_000, 8_000];

/** A test, followed until no attempt of it is to come. */
export function FollowedTest(props: { eventId: string; webhook: Webhook }): ReactElement {
  const { eventId, webhook } = props;
  const client = useQueryClient();
  const { data, dataUpdatedAt } = useQuery({
    queryKey: ['deliveries', 'of-event', eventId],
    queryFn: ({ signal }) => api.get<DeliveryPage>('/deliveries', { eventId }, signal),
    refetchInterval: ({ state }) =>
      isAnswered(state.data, webhook.id)
        ? untilAttemptMs(state.data?.items ?? [])
        : (lookMs[state.dataUpdateCount - 1] ?? false),
  });
  const delivery = data?.items.find(({ webhookId }) => webhookId === webhook.id);
  const isDone = isAnswered(data, webhook.id);
  useEffect(() => {
    if (isDone) void client.invalidateQueries({ queryKey: ['deliveries', webhook.id] });
  }, [client, isDone, webhook.id, dataUpdatedAt]);
  return (
    <Paper withBorder p="sm" component="section" aria-label="The test">
      <Stack gap="xs">
        {!isDone && (
          <Group gap="xs" role="status">
            <Loader size="xs" />
            <Text size="sm">The test is on its way</Text>
          </Group>
        )}
        {delivery && <DeliveryRow delivery={delivery} isOpenAtFirst />}
      </Stack>
    </Paper>
  );
}

/** True once an attempt has ended. */
const isAnswered = (page: DeliveryPage | undefined, webhookId: string): boolean =>
  page?.items.some(
    (one) =>
      one.webhookId === webhookId && one.attempts.some(({ durationMs }) => durationMs !== null),
  ) ?? false;
