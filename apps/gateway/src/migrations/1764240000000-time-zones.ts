import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The time zone of a workspace, in whose days its analytics count. */
export class TimeZones1764240000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE tenants ADD COLUMN time_zone text NOT NULL DEFAULT 'UTC';

      -- The zone, and which day it is there.
      CREATE FUNCTION workspace_clock(p_tenant text) RETURNS TABLE (time_zone text, today date)
      LANGUAGE plpgsql STABLE AS $$
      BEGIN
        PERFORM set_config('postroom.tenant', p_tenant, true);
        RETURN QUERY
          SELECT t.time_zone, (now() AT TIME ZONE t.time_zone)::date FROM tenants t
          WHERE t.tenant_id = p_tenant;
      END $$;
    `);
  }

  down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}
