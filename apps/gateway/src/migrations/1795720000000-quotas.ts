import { quotaCounters } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counters of quotas, which every service has. */
export class QuotasAccess1795720000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(quotaCounters('access'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
