import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The code that a refused write was answered, where its family has one of its own. */
export class AnsweredCodesAccess1795660000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE refused_writes ADD COLUMN answered text COLLATE "C"');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
