import { publishedEvents } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Published rows of the outbox stay for 7 days. */
export class PublishedEventsScheduling1795520000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(publishedEvents('scheduling'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
