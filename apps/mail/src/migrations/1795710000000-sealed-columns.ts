import { sealedColumn } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { mailboxSeals } from '../mailboxes/plain.js';

/** Secrets of mailboxes are found by the key that has sealed them. */
export class SealedColumnsMail1795710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { outgoing, imap, dkim } = mailboxSeals;
    for (const column of [outgoing, imap, dkim]) await runner.query(sealedColumn('mail', column));
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
