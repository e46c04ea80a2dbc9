import { operationTables } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Schema `webhooks`. */
export class InitWebhooks1795500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(operationTables('webhooks'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
