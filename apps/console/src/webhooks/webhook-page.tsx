import { Anchor, Group, Text } from '@mantine/core';
import type { Webhook } from '@postroom/contracts';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { Page } from '../ui/page.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import { Time, ZonedTime } from '../ui/time.js';
import { Deliveries } from './deliveries.js';
import { FollowedTest } from './followed-test.js';
import { WebhookActions } from './webhook-actions.js';
import { eventsIn, StatusBadge } from './webhooks-page.js';
import { webhooksQuery } from './webhooks-query.js';

/** One subscription, and what became of its deliveries. */
export function WebhookPage(): ReactElement {
  const { webhookId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(webhooksQuery);
  const webhook = data?.find(({ id }) => id === webhookId);
  if (webhook) return <OneWebhook webhook={webhook} />;
  return (
    <Page title="Webhook">
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!error &&
        (data ? <EmptyState icon="webhook" title="There is no such webhook" /> : <Loading />)}
    </Page>
  );
}

function OneWebhook({ webhook }: { webhook: Webhook }): ReactElement {
  const { workspace } = useAccount();
  const [testedId, setTestedId] = useState<string | null>(null);
  const { previousSecretUntil, createdAt, url, description } = webhook;
  return (
    <Page
      title={description === '' ? new URL(url).host : description}
      intro={
        <>
          <Anchor component={Link} to="/webhooks" inherit underline="always">
            All webhooks
          </Anchor>{' '}
          · {url} · {eventsIn(webhook)} · added <Time at={createdAt} />
        </>
      }
      actions={<WebhookActions webhook={webhook} onTested={setTestedId} />}
    >
      <Group gap="xs">
        <StatusBadge webhook={webhook} />
        {previousSecretUntil !== null && (
          <Text size="sm">
            The secret before the last rotation signs too until{' '}
            <ZonedTime at={previousSecretUntil} zone={workspace.timeZone} />.
          </Text>
        )}
      </Group>
      {testedId !== null && <FollowedTest key={testedId} eventId={testedId} webhook={webhook} />}
      <Deliveries webhook={webhook} />
    </Page>
  );
}
