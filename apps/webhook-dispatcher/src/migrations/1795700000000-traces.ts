import { traceColumn } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events carry the trace of the request behind them, in the outbox and until they are delivered. */
export class TracesWebhooks1795700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ${traceColumn}
      ALTER TABLE events ADD COLUMN traceparent text;
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
