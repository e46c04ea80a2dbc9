import { auditDurationColumn } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Audit records say how long the request took. */
export class AuditDurationAccess1795580000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `${auditDurationColumn} ALTER TABLE audit_entries ADD COLUMN duration_ms integer;`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
