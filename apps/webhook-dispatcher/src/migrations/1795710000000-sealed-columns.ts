import { sealedColumn } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { subscriptionSeals } from '../webhook-secrets.js';

/** Secrets of subscriptions are found by the key that has sealed them. */
export class SealedColumnsWebhooks1795710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { secret, previous } = subscriptionSeals;
    for (const column of [secret, previous]) await runner.query(sealedColumn('webhooks', column));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
