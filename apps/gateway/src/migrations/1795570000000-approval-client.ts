import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which program filed a write that waits for a person, as it names itself. */
export class ApprovalClientAccess1795570000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE approvals ADD COLUMN client text');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
