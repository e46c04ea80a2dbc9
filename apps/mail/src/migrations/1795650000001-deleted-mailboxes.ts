import { lookupRole, serviceRole } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A mailbox that is deleted stays for 30 days, out of sight of everything. */
export class DeletedMailboxes1795650000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const lookup = lookupRole('mail');
    await runner.query(`
      ALTER TABLE mailboxes ADD COLUMN deleted_at timestamptz(3);
      CREATE INDEX mailboxes_deleted ON mailboxes (deleted_at) WHERE deleted_at IS NOT NULL;
      -- Restrictive: whatever the service asks, a deleted mailbox is none.
      CREATE POLICY live ON mailboxes AS RESTRICTIVE TO ${serviceRole('mail')}
        USING (deleted_at IS NULL);
      GRANT SELECT (deleted_at), UPDATE (deleted_at), DELETE ON mailboxes TO ${lookup};
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
