import { lookupPolicy, tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Up to when the reminders of each event and task have been told. */
export class RemindersScheduling1795610000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE reminder_cursors (
        tenant_id text COLLATE "C" NOT NULL,
        -- The event or the task.
        subject_id text COLLATE "C" NOT NULL,
        -- What was due up to this moment has been told.
        told_ms bigint NOT NULL,
        -- When to look again: nothing is due before. Null for nothing to come.
        look_ms bigint,
        -- How many notices have told of it.
        notices bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (tenant_id, subject_id)
      );
      CREATE INDEX reminder_cursors_due ON reminder_cursors (look_ms) WHERE look_ms IS NOT NULL;
      CREATE INDEX reminder_cursors_due_of_tenant ON reminder_cursors (tenant_id, look_ms)
        WHERE look_ms IS NOT NULL;
      ${ofThose('calendar_events', 'has_reminders')}
      ${ofThose('tasks', `due_ms IS NOT NULL AND reminders <> '[]'`)}
      ${tenantPolicy('reminder_cursors')}
      ${lookupPolicy('scheduling', 'reminder_cursors')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

/** Cursors of what is there already, of every workspace: whatever becomes due from now on is told. */
const ofThose = (table: string, condition: string): string => `
  ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY;
  INSERT INTO reminder_cursors (tenant_id, subject_id, told_ms, look_ms)
  SELECT s.tenant_id, s.id, n.ms, n.ms FROM ${table} s
  CROSS JOIN (SELECT floor(extract(epoch FROM now()) * 1000)::bigint AS ms) n WHERE ${condition};
  ALTER TABLE ${table} FORCE ROW LEVEL SECURITY;
`;
