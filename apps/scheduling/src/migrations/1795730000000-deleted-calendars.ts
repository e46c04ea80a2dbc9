import { lookupPolicy, tenantPolicy } from '@postroom/persistence/provision';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who might see a calendar when it was deleted, for as long as its events are told. */
export class DeletedCalendars1795730000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE deleted_calendars (
        tenant_id text COLLATE "C" NOT NULL,
        id text COLLATE "C" NOT NULL,
        scope text NOT NULL,
        owner_id text COLLATE "C" NOT NULL,
        deleted_at timestamptz(3) NOT NULL,
        PRIMARY KEY (tenant_id, id)
      );
      CREATE INDEX deleted_calendars_by_time ON deleted_calendars (deleted_at);
      ${tenantPolicy('deleted_calendars')}
      ${lookupPolicy('scheduling', 'deleted_calendars', 'SELECT, DELETE')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
