import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who deleted a book, for the events of its contacts; JSON that keeps the order of what was given. */
export class Merging1795520000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE address_books ADD COLUMN deleted_by json;
      CREATE INDEX address_books_deleted ON address_books (deleted_at) WHERE deleted_at IS NOT NULL;

      ALTER TABLE contacts ALTER COLUMN merge_log DROP DEFAULT;
      ALTER TABLE contacts
        ALTER COLUMN emails TYPE json, ALTER COLUMN phones TYPE json, ALTER COLUMN author TYPE json,
        ALTER COLUMN merge_log TYPE json;
      ALTER TABLE contacts ALTER COLUMN merge_log SET DEFAULT '[]';
      ALTER TABLE merged_contacts
        ALTER COLUMN record TYPE json, ALTER COLUMN absorbed TYPE json;
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
