import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages say how far to trust them; those that are there already were not judged, and warn of nothing. */
export class MessageTrustMail1795530000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE messages
         ADD COLUMN trust jsonb NOT NULL DEFAULT '{"level": "ordinary", "reasons": []}'`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
