import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Books whose contacts are still to be deleted, found without those that are empty and remembered for a time. */
export class DeletedBooks1795740000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX address_books_emptying ON address_books (deleted_at) WHERE deleted_by IS NOT NULL`,
    );
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
