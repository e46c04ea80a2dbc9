import { traceColumn } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Events in the outbox carry the trace of the request behind them. */
export class TracesMail1795700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(traceColumn);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
