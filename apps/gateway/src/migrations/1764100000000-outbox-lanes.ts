import { addOutboxLanes } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets relays share the outbox of schema `access`. */
export class OutboxLanes1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addOutboxLanes(runner, 'access');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
