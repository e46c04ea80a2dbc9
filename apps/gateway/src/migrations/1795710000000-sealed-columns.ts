import { sealedColumn } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { receiptKeySeal } from '../approvals/plain.js';

/** Signing keys of receipts are found by the key that has sealed them. */
export class SealedColumnsAccess1795710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(sealedColumn('access', receiptKeySeal));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
