import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Audit records that have not left for the gateway yet. */
export class AuditBacklog1764300200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Those that wait, and those in notices that wait, or were refused by the bus.
      CREATE FUNCTION count_audit_backlog(p_tenant text) RETURNS float8
      LANGUAGE plpgsql STABLE AS $$
      BEGIN
        PERFORM set_config('postroom.tenant', p_tenant, true);
        RETURN (SELECT count(*) FROM audit_records WHERE tenant_id = p_tenant)
          + (SELECT coalesce(sum(json_array_length(envelope::json->'records')), 0) FROM outbox
             WHERE tenant_id = p_tenant AND resource = 'audit' AND type = 'audit.recorded');
      END $$;
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
