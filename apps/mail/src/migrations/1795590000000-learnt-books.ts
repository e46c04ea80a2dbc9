import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When what is known of a book was learnt: a page of a rebuild that was read later says more. */
export class LearntBooksMail1795590000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE known_books ADD COLUMN learnt_at timestamptz(3) NOT NULL DEFAULT now()',
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
