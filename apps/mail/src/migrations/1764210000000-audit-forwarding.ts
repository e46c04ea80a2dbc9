import { addAuditForwarding, queueAuditRecords } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lets the mail service hand its audit records on, to be sealed (docs/adr/0018). */
export class AuditForwarding1764210000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await queueAuditRecords(runner, 'mail');
    await addAuditForwarding(runner, 'mail');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
