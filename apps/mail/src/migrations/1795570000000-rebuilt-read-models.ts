import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What tells whether a page of a rebuild is newer than what events have told. */
export class RebuiltReadModelsMail1795570000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Number of the last event that was learnt.
      ALTER TABLE known_books ADD COLUMN sequence bigint NOT NULL DEFAULT 0;
      ALTER TABLE conversation_links ADD COLUMN learnt_at timestamptz(3) NOT NULL DEFAULT now();
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
