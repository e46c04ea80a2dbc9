import { lookupPolicy, tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a workspace has of what is too much to be counted at each request. */
export class Quotas1795670000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- The count of a quota is the sum of its slots: changes at the same time take different ones, so that
      -- none waits for another's commit.
      CREATE TABLE quota_counters (
        tenant_id text COLLATE "C" NOT NULL,
        -- A name of Quotas in the contracts.
        quota text COLLATE "C" NOT NULL,
        -- Of what is counted by the day (UTC); '-infinity' of what stays.
        day date NOT NULL DEFAULT '-infinity',
        slot uuid NOT NULL DEFAULT gen_random_uuid(),
        amount bigint NOT NULL,
        PRIMARY KEY (tenant_id, quota, day, slot)
      ) WITH (fillfactor = 50);
      ${tenantPolicy('quota_counters')}
      ${lookupPolicy('mail', 'quota_counters', 'SELECT, INSERT, UPDATE, DELETE')}

      -- An owner that is no superuser sees no row under forced policies. Locked until the triggers are there.
      ALTER TABLE drafts NO FORCE ROW LEVEL SECURITY;
      ALTER TABLE quota_counters NO FORCE ROW LEVEL SECURITY;
      INSERT INTO quota_counters (tenant_id, quota, amount)
        SELECT d.tenant_id, 'drafts', count(*) FROM drafts d GROUP BY 1;
      ALTER TABLE quota_counters FORCE ROW LEVEL SECURITY;
      ALTER TABLE drafts FORCE ROW LEVEL SECURITY;
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
