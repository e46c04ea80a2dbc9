import { quotaCounters } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many events and tasks the workspaces have. */
export class QuotasScheduling1795720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${quotaCounters('scheduling')}
      -- An owner that is no superuser sees no row under forced policies. Locked until the triggers are there.
      ALTER TABLE calendar_events NO FORCE ROW LEVEL SECURITY;
      ALTER TABLE tasks NO FORCE ROW LEVEL SECURITY;
      ALTER TABLE quota_counters NO FORCE ROW LEVEL SECURITY;
      INSERT INTO quota_counters (tenant_id, quota, amount)
        SELECT e.tenant_id, 'events', count(*) FROM calendar_events e GROUP BY 1
        UNION ALL SELECT t.tenant_id, 'tasks', count(*) FROM tasks t GROUP BY 1;
      ALTER TABLE quota_counters FORCE ROW LEVEL SECURITY;
      ALTER TABLE tasks FORCE ROW LEVEL SECURITY;
      ALTER TABLE calendar_events FORCE ROW LEVEL SECURITY;
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
