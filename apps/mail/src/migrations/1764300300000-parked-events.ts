import { addParkedEvents } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events that the bus has refused can be listed, and leave once more. */
export class ParkedEvents1764300300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addParkedEvents(runner, 'mail');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
