import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newApiKey } from '@postroom/access';
import { newId } from '@postroom/contracts';
import { Client } from 'pg';
import { until } from '@postroom/testing/until';
import { Gateway, type SomeWorkspace } from '../../testing/gateway.js';

describe('a request that is refused with 401', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let locking: Client;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
    locking = new Client({ connectionString: gateway.database.adminUrl });
    await locking.connect();
  });
  afterAll(async () => {
    await locking.end();
    await gateway.close();
  });

  const logged = (key: string): boolean =>
    gateway.log.some((line) => line.includes('"request refused"') && line.includes(key));
  const waiting = async (): Promise<boolean> =>
    (
      await gateway.rows(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND usename = 'postroom_access' AND wait_event_type = 'Lock'`,
      )
    ).length > 0;
  /** Sends a request while the audit tables are locked for reads and writes. */
  const askLocked = async (key: string, meanwhile: () => Promise<void>): Promise<number> => {
    await locking.query('BEGIN; LOCK TABLE access.audit_records, access.audit_entries');
    try {
      const requestId = randomUUID();
      const headers = { 'x-request-id': requestId };
      const { status } = await gateway.ask(key, '/v1/conversations', { headers });
      await until(() => logged(requestId));
      await meanwhile();
      return status;
    } finally {
      await locking.query('COMMIT');
    }
  };

  it('is answered and logged without a query beside the one that looks for the key', async () => {
    const { token: unknown } = newApiKey('human', newId('key').slice('key_'.length));
    const status = await askLocked(unknown, async () => {
      await sleep(300);
      expect(await waiting()).toBe(false);
    });
    expect(status).toBe(401);
  });

  it('of a key that is recognised is answered and logged before the audit is written', async () => {
    const key = await gateway.key(workspace, { revokedAt: new Date() });
    expect(await askLocked(key, () => until(waiting))).toBe(401);
    await until(async () =>
      (await gateway.audit(workspace)).some(({ action }) => action === 'key.refused'),
    );
  });
});
