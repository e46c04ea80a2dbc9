import { publishedEvents } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Published rows of the outbox stay for 7 days. */
export class PublishedEventsWebhooks1795520000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(publishedEvents('webhooks'));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
