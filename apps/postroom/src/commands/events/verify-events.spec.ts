import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, storingServiceNames, variablePrefix } from '@postroom/contracts';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { Client } from 'pg';
import { schemas } from '../../database.js';
import { verifyEvents } from './verify-events.js';

type Name = (typeof schemas)[number]['name'];

describe('postroom events verify', () => {
  let database: TestDatabase<Name>;
  let admin: Client;
  let tenantId: string;
  let name: string;
  const since = new Date(Date.now() - 3_600_000).toISOString();

  beforeAll(async () => {
    database = await createTestDatabase<Name>(schemas);
    admin = new Client({ connectionString: database.adminUrl });
    await admin.connect();
  });
  afterAll(async () => {
    await admin.end();
    await database.drop();
  });
  beforeEach(async () => {
    tenantId = newId('ten');
    name = tenantId.toLowerCase();
    await admin.query(
      `INSERT INTO access.tenants (tenant_id, name, time_zone, send_open, created_at)
       VALUES ($1, $2, 'UTC', true, now())`,
      [tenantId, name],
    );
  });

  const run = async () => {
    const env = Object.fromEntries(
      storingServiceNames.map((service) => [
        `${variablePrefix(service)}_DATABASE_URL`,
        database.urls[service as Name],
      ]),
    );
    const lines = await verifyEvents.run({ rest: [], options: { name, since }, env });
    const all = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    return { findings: all.slice(0, -1), counts: all.at(-1) };
  };

  let position = 0;
  const published = async (sequence: number, resource = 'ctc_1') => {
    const id = newId('evn');
    await admin.query(
      `INSERT INTO mail.published_events (slot, tenant_id, event_id, type, resource, sequence, envelope, created_at)
       VALUES (0, $1, $2, 'contact.created', $3, $4, '{}', now())`,
      [tenantId, id, resource, sequence],
    );
    return id;
  };
  const recorded = async (sequence: number, given?: string) => {
    const id = given ?? (await published(sequence));
    await admin.query(
      `INSERT INTO webhooks.events (day, tenant_id, position, event_id, type, resource, sequence, envelope)
       VALUES (0, $1, $2, $3, 'contact.created', 'ctc_1', $4, '{}')`,
      [tenantId, (position += 1), id, sequence],
    );
    return id;
  };
  const subscribed = async (events: string[] = [], status = 'active') => {
    const id = newId('whk');
    await admin.query(
      `INSERT INTO webhooks.subscriptions (tenant_id, id, url, events, description, status, sealed_secret,
         active_since, created_at, updated_at)
       VALUES ($1, $2, 'https://x.test', $3, '', $4, '', now() - interval '1 day', now(), now() - interval '1 day')`,
      [tenantId, id, events, status],
    );
    return id;
  };
  const delivered = async (
    event: string,
    subscription: string,
    status: string,
    errors: (string | null)[],
  ) => {
    const id = newId('dlv');
    await admin.query(
      `INSERT INTO webhooks.deliveries (week, day, tenant_id, id, subscription_id, event_id, name, resource,
         position, status, first_open, held, next_at, created_at)
       VALUES (0, 0, $1, $2, $3, $4, 'contact.created', 'ctc_1', 1, $5, false, false, now(), now())`,
      [tenantId, id, subscription, event, status],
    );
    for (const [index, error] of errors.entries()) {
      await admin.query(
        `INSERT INTO webhooks.attempts (week, tenant_id, delivery_id, number, at, error)
         VALUES (0, $1, $2, $3, now(), $4)`,
        [tenantId, id, index + 1, error],
      );
    }
  };

  it('finds nothing where every event has reached the feed and its subscriptions', async () => {
    const subscription = await subscribed(['contact.created']);
    await subscribed(['task.created']);
    await subscribed([], 'disabled');
    for (const sequence of [1, 2, 3]) {
      await delivered(await recorded(sequence), subscription, 'succeeded', [null]);
    }
    expect(await run()).toEqual({
      findings: [],
      counts: { published: 3, recorded: 3, succeeded: 3, failed: 0, pending: 0, findings: 0 },
    });
  });

  it('names events that are not in the feed, and where they are', async () => {
    const lost = await published(1);
    const [waits, parked] = [newId('evn'), newId('evn')];
    await admin.query(
      `INSERT INTO directory.outbox (tenant_id, event_id, type, resource, sequence, envelope, refusal)
       VALUES ($1, $2, 'contact.created', 'ctc_2', 1, '{}', NULL), ($1, $3, 'contact.created', 'ctc_3', 1, '{}', 'too large')`,
      [tenantId, waits, parked],
    );
    const { findings } = await run();
    expect(findings.map(({ event, finding }) => [event, finding])).toEqual([
      [lost, 'is not in the feed, though it was published by mail'],
      [waits, 'waits in the outbox of directory'],
      [parked, 'was refused by the bus and is parked in the outbox of directory'],
    ]);
  });

  it('names gaps and repeats of sequences', async () => {
    await recorded(1);
    const gap = await recorded(3);
    const repeat = await recorded(3);
    const { findings } = await run();
    expect(findings.map(({ event, finding }) => [event, finding])).toEqual([
      [gap, 'has sequence 3 of ctc_1 after 1'],
      [repeat, 'has sequence 3 of ctc_1 after 3'],
    ]);
  });

  it('names events that did not reach a subscription, and why', async () => {
    const subscription = await subscribed();
    const ids = [];
    for (const sequence of [1, 2, 3, 4]) ids.push(await recorded(sequence));
    const [failed = '', pending = '', often = '', never] = ids;
    await delivered(failed, subscription, 'failed', ['status', 'status', 'status', 'timed_out']);
    await delivered(pending, subscription, 'pending', ['status']);
    await delivered(often, subscription, 'succeeded', Array<null>(5).fill(null));
    const { findings } = await run();
    expect(findings.map(({ event, finding }) => [event, finding])).toEqual([
      [failed, 'failed after 4 attempts: timed_out'],
      [pending, 'waits to be delivered, after 1 attempts'],
      [often, 'had 5 attempts'],
      [never, 'has no delivery'],
    ]);
    expect(findings.every((one) => one['subscription'] === subscription)).toBe(true);
  });

  it.each([{}, { name: 'x' }, { since }, { name: 'x', since: 'yesterday' }])(
    'answers %j with its usage',
    async (options) => {
      const asked = verifyEvents.run({ rest: [], options, env: {} });
      await expect(asked).rejects.toMatchObject({ name: 'UsageError' });
    },
  );
});
