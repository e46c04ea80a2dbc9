import { approvedByColumn } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Audit records name who approved an agent's write. */
export class ApprovedByWebhooks1795510000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(approvedByColumn);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
