import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database } from '@postroom/persistence';
import { runMaintenance } from '@postroom/operations';
import { maintenanceJobs } from './maintenance-jobs.js';
import { Gateway, type SomeWorkspace } from '../testing/gateway.js';

describe('the maintenance jobs of the gateway', () => {
  let gateway: Gateway;
  let workspace: SomeWorkspace;
  let database: Database;

  beforeAll(async () => {
    gateway = await Gateway.start();
    workspace = await gateway.workspace();
    const url = gateway.database.urls.access;
    database = await Database.connect({ url, schema: 'access', entities: [] });
  });
  afterAll(async () => {
    await database.close();
    await gateway.close();
  });

  const count = async (table: string): Promise<number> =>
    (await gateway.rows(`SELECT FROM ${table}`)).length;

  it('deletes sessions that have ended, and keeps the others', async () => {
    const { id } = await gateway.member(workspace);
    await gateway.session(workspace, id);
    await gateway.rows(
      `UPDATE sessions SET seen_at = now() - interval '13 hours' WHERE member_id = $1 AND id =
       (SELECT min(id) FROM sessions WHERE member_id = $1)`,
      [id],
    );
    const before = await count('sessions');
    await runMaintenance(database, maintenanceJobs);
    expect(await count('sessions')).toBe(before - 1);
    await gateway.rows(
      `UPDATE sessions SET created_at = now() - interval '8 days' WHERE member_id = $1`,
      [id],
    );
    await runMaintenance(database, maintenanceJobs);
    expect(await count('sessions')).toBe(before - 2);
  });

  it('deletes links past their seven days, and keeps the others', async () => {
    for (const left of ['-1 second', '1 hour']) {
      await gateway.rows(
        `INSERT INTO invitations (token_hash, id, tenant_id, member_id, kind, created_at, expires_at)
         VALUES ($1, $1, $2, $3, 'invitation', now(), now() + $4::interval)`,
        [left, workspace.id, workspace.admin.id, left],
      );
    }
    await runMaintenance(database, maintenanceJobs);
    expect(await gateway.rows('SELECT token_hash FROM invitations')).toEqual([
      { token_hash: '1 hour' },
    ]);
  });

  it('deletes recorded replies past their 24 hours, however many', async () => {
    await gateway.settings(workspace.admin, 'PUT', '/send-switch', { open: true });
    const kept = await count('replies');
    await gateway.rows(
      `INSERT INTO replies (tenant_id, dedupe_key, message_id, fingerprint, expires_at)
       SELECT $1, 'old ' || n, 'm', 'f', now() - interval '1 second' FROM generate_series(1, 2500) n`,
      [workspace.id],
    );
    await runMaintenance(database, maintenanceJobs);
    expect(await count('replies')).toBe(kept);
  });
});
