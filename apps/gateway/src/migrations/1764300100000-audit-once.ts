import { byIndex } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An audit record is sealed once, however late its notice comes again. */
export class AuditOnce1764300100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Records that another service's notice brings. A notice that was set aside may come again when
      -- the inbox has forgotten it: what waits or is sealed is not taken again. No sealer moves a
      -- record from the one place to the other meanwhile: this has the workspace's lease.
      CREATE OR REPLACE FUNCTION receive_audit(p_tenant text, p_records json) RETURNS void
      LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM pg_advisory_xact_lock(hashtextextended('access.audit ' || p_tenant, 0));
        INSERT INTO audit_records (tenant_id, id, at, actor_type, actor_id, source, action,
          subject_id, request_id)
        SELECT p_tenant, r.id, r.at, r."actorType", r."actorId", r.source, r.action, r."subjectId",
          r."requestId"
        FROM json_to_recordset(p_records) AS r (id text COLLATE "C", at timestamptz,
          "actorType" text, "actorId" text, source text, action text, "subjectId" text,
          "requestId" text)
        WHERE NOT EXISTS (
          SELECT FROM audit_entries e WHERE e.tenant_id = p_tenant AND e.at = r.at AND e.id = r.id)
        ON CONFLICT DO NOTHING;
      END $$;
      ${byIndex('receive_audit(text, json)')}
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
