import { replayOfPublished } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Published events can be taken back into the outbox. */
export class ReplayOfPublishedDirectory1795650000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(replayOfPublished('directory'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
