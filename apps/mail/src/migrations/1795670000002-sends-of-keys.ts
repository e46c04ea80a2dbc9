import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Which API key has reserved a send, for its limit. */
export class SendsOfKeys1795670000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Null of a member's, and of what was reserved before.
      ALTER TABLE send_reservations ADD COLUMN api_key text COLLATE "C";
      CREATE INDEX send_reservations_of_key ON send_reservations (tenant_id, api_key, created_at)
        WHERE api_key IS NOT NULL;
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
