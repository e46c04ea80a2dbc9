import { functionsOnly, lookupPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which keys the links of the audit were made with. */
export class AuditKeysAccess1795710000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- By a name that tells nothing of the key. A key stays as long as the chains that it made links of.
      CREATE TABLE audit_keys (
        id text COLLATE "C" PRIMARY KEY,
        since timestamptz NOT NULL DEFAULT now()
      );
      ${functionsOnly('access', 'audit_keys', 'SELECT, INSERT')}
      ${lookupPolicy('access', 'audit_heads')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
