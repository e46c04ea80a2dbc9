import { operationTables } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Schema `directory`. */
export class InitDirectory1795500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(operationTables('directory'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
