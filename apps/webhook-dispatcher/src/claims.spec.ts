import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@postroom/contracts';
import { deliveriesPerWorkspace } from './limits.js';
import { WebhooksTestService } from './testing/webhooks-service.js';

const tenantId = newId('ten');
const subscriptions = 20;
/** As many as a subscription may have after successes. */
const most = 48;
const underWay = new Map(Array.from({ length: subscriptions }, (_, at) => [`s${at + 1}`, 0]));

let service: WebhooksTestService;

beforeAll(async () => {
  service = await WebhooksTestService.start();
  // Never committed: the dispatcher itself sees nothing of it.
  await service.rows('BEGIN');
  await service.rows(
    `INSERT INTO subscriptions (tenant_id, id, url, events, description, status, sealed_secret, active_since, created_at, updated_at)
     SELECT $1, 's' || n, 'https://x.example', '{}', '', 'active', 'key.x', now() - interval '1 hour', now(), now() FROM generate_series(1, $2) n`,
    [tenantId, subscriptions],
  );
});
afterAll(async () => {
  await service.rows('ROLLBACK');
  await service.close();
});

const queue = (from: number, to: number) =>
  service.rows(
    `INSERT INTO deliveries (week, day, tenant_id, id, subscription_id, event_id, name, resource, position, first_open, held, next_at, created_at)
     SELECT 0, 0, $1, 'd' || n || '/' || i, 's' || n, 'e' || i, 'x', 'r' || i, i, true, false, now(), now()
     FROM generate_series($2::int, $3::int) n, generate_series(1, $4::int) i`,
    [tenantId, from, to, most],
  );

/** Claims as the dispatcher does, until nothing more has a place. @returns what is in progress then */
async function claimAll(): Promise<number> {
  for (;;) {
    const keys = [...underWay.keys()].map((id) => `${tenantId}/${id}`);
    const claimed = await service.rows<{ id: string }>(
      'SELECT subscription_id AS id FROM take_deliveries(64, 4, $1, 13000, $2, $3, $4)',
      [deliveriesPerWorkspace, keys, [...underWay.values()], keys.map(() => most)],
    );
    for (const { id } of claimed) underWay.set(id, (underWay.get(id) ?? 0) + 1);
    if (claimed.length === 0) return [...underWay.values()].reduce((sum, count) => sum + count, 0);
  }
}

it('takes no more for a workspace than its share, and for each subscription one at once', async () => {
  await queue(1, subscriptions - 1);
  expect(await claimAll()).toBe(deliveriesPerWorkspace - subscriptions);
  await queue(subscriptions, subscriptions);
  expect(await claimAll()).toBeLessThanOrEqual(deliveriesPerWorkspace);
  expect(underWay.get(`s${subscriptions}`)).toBe(1);
});
