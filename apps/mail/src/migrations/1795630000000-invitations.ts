import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages say what they have to do with an event, and what became of it. */
export class MailInvitations1795630000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE messages ADD COLUMN invitation jsonb');
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
