import { addKeyClaims } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A write claims its key by a lock, and writes its reply once (docs/adr/0004). */
export class KeyClaims1764800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await addKeyClaims(runner);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
