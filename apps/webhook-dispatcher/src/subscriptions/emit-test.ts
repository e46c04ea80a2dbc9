import { actorOf } from '@postroom/access';
import { newId, type FeedEvent, type webhooks } from '@postroom/contracts';
import type { Writing } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const countTest = statement<{ sequence: string }>(
  'webhooks.count_test',
  `INSERT INTO test_counters AS t (tenant_id, sequence) VALUES ($1, 1)
   ON CONFLICT (tenant_id) DO UPDATE SET sequence = t.sequence + 1 RETURNING sequence`,
);

/**
 * Emits `integration.test`.
 * @param webhookId the one subscription it is for; null for all of the workspace
 * @returns the event as it will be delivered
 */
export async function emitTest(
  context: Writing<(typeof webhooks)['test']>,
  webhookId: string | null,
): Promise<FeedEvent> {
  const { tenantId, caller, at } = context;
  const [counted] = await context.rows(countTest, []);
  const event = {
    id: newId('evn'),
    type: 'integration.test' as const,
    resource: { type: 'tenant' as const, id: tenantId },
    sequence: Number(counted?.sequence),
    data: { message: 'Webhooks of this workspace arrive.', webhookId },
  };
  context.emit(event);
  return {
    ...event,
    occurredAt: at.toISOString(),
    tenantId,
    apiVersion: 'v1',
    actor: actorOf(caller),
    source: caller.source,
    previous: null,
  };
}
