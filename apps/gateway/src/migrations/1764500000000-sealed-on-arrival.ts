import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Audit records of other services are sealed as they come in (docs/adr/0034). */
export class SealedOnArrival1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      -- Appends the records of a notice, in its order, after p_length entries.
      CREATE FUNCTION seal_received(p_tenant text, p_length bigint, p_records json,
        p_hashes bytea[], p_mac bytea)
      RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        INSERT INTO audit_entries (tenant_id, position, id, at, actor_type, actor_id, source, action,
          subject_id, request_id, hash)
        SELECT p_tenant, p_length + r.place, r.id, r.at, r.actor_type, r.actor_id, r.source, r.action,
          r.subject_id, r.request_id, r.hash
        FROM ROWS FROM (
          json_to_recordset(p_records) AS (id text, at timestamptz, "actorType" text, "actorId" text,
            source text, action text, "subjectId" text, "requestId" text),
          unnest(p_hashes)
        ) WITH ORDINALITY AS r (id, at, actor_type, actor_id, source, action, subject_id, request_id,
          hash, place);
        INSERT INTO audit_heads AS h (tenant_id, length, last_hash, mac)
          VALUES (p_tenant, p_length + cardinality(p_hashes), p_hashes[cardinality(p_hashes)], p_mac)
          ON CONFLICT (tenant_id) DO UPDATE
            SET length = excluded.length, last_hash = excluded.last_hash, mac = excluded.mac;
        IF p_length = 0 THEN
          UPDATE tenants SET audit_begun = true WHERE tenant_id = p_tenant;
        END IF;
      END $$;
    `);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}
