import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When people of a workspace work: from Monday to Friday until an administrator says otherwise. */
export class WorkingHoursAccess1795540000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tenants ADD COLUMN working_hours jsonb NOT NULL DEFAULT '[
        {"day": "MO", "from": "09:00", "to": "18:00"}, {"day": "TU", "from": "09:00", "to": "18:00"},
        {"day": "WE", "from": "09:00", "to": "18:00"}, {"day": "TH", "from": "09:00", "to": "18:00"},
        {"day": "FR", "from": "09:00", "to": "18:00"}]'
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
