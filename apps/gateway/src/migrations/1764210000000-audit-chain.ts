import { byIndex, createInbox, lookupFunction, queueAuditRecords } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The sealed chain of every workspace's audit (docs/adr/0018). */
export class AuditChain1764210000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await createInbox(runner, 'access');
    await queueAuditRecords(runner, 'access');
    await runner.query(entries + heads + sealing + reading);
  }

  down(): Promise<void> {
    throw new Error('migrations go forward only');
  }
}

const ofTenant = `tenant_id = current_setting('postroom.tenant', true)`;

/** Its owner too may only read and add: nothing of the product changes or removes an entry. */
const entries = `
  CREATE TABLE audit_entries (
    tenant_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    actor_type text NOT NULL,
    actor_id text COLLATE "C",
    source text NOT NULL,
    action text COLLATE "C" NOT NULL,
    subject_id text COLLATE "C",
    request_id text,
    hash bytea NOT NULL,
    PRIMARY KEY (tenant_id, position)
  );
  CREATE INDEX audit_entries_time ON audit_entries (tenant_id, at, id);
  CREATE INDEX audit_entries_actor ON audit_entries (tenant_id, actor_id, at, id);
  CREATE INDEX audit_entries_action ON audit_entries (tenant_id, action, at, id);
  ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
  ALTER TABLE audit_entries FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON audit_entries FOR SELECT USING (${ofTenant});
  CREATE POLICY tenant_adds ON audit_entries FOR INSERT WITH CHECK (${ofTenant});
`;

const heads = `
  -- How long each chain is and how it ends, under an HMAC of their own.
  CREATE TABLE audit_heads (
    tenant_id text COLLATE "C" PRIMARY KEY,
    length bigint NOT NULL,
    last_hash bytea NOT NULL,
    mac bytea NOT NULL
  );
  ALTER TABLE audit_heads ENABLE ROW LEVEL SECURITY;
  ALTER TABLE audit_heads FORCE ROW LEVEL SECURITY;
  CREATE POLICY tenant ON audit_heads USING (${ofTenant}) WITH CHECK (${ofTenant});

  -- A chain that was begun has a head: one that is missing was removed.
  ALTER TABLE tenants ADD COLUMN audit_begun boolean NOT NULL DEFAULT false;
`;

const columns = `id, at, actor_type, actor_id, source, action, subject_id, request_id`;

const sealing = `
  -- Workspaces that have records to be sealed: one look into the index for each.
  CREATE FUNCTION audit_waiting() RETURNS TABLE (tenant_id text) LANGUAGE sql STABLE AS $$
    WITH RECURSIVE waiting AS (
      (SELECT a.tenant_id FROM audit_records a ORDER BY a.tenant_id LIMIT 1)
      UNION ALL
      SELECT (SELECT a.tenant_id FROM audit_records a WHERE a.tenant_id > w.tenant_id
              ORDER BY a.tenant_id LIMIT 1)
      FROM waiting w WHERE w.tenant_id IS NOT NULL
    )
    SELECT w.tenant_id FROM waiting w WHERE w.tenant_id IS NOT NULL
  $$;
  ${lookupFunction('access', 'audit_waiting()')}
  ${byIndex('audit_waiting()')}

  -- Sets the tenant and takes the workspace's lease until the transaction ends: no row when another
  -- has it. Then where the chain stands.
  CREATE FUNCTION begin_sealing(p_tenant text)
  RETURNS TABLE (begun boolean, length float8, last_hash bytea, mac bytea) LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    IF NOT pg_try_advisory_xact_lock(hashtextextended('access.audit ' || p_tenant, 0)) THEN
      RETURN;
    END IF;
    RETURN QUERY SELECT t.audit_begun, h.length::float8, h.last_hash, h.mac
      FROM tenants t LEFT JOIN audit_heads h ON h.tenant_id = t.tenant_id
      WHERE t.tenant_id = p_tenant;
  END $$;

  CREATE FUNCTION waiting_audit(p_tenant text, p_limit integer)
  RETURNS SETOF audit_records LANGUAGE plpgsql STABLE AS $$
  BEGIN
    RETURN QUERY SELECT a.* FROM audit_records a
      WHERE a.tenant_id = p_tenant ORDER BY a.id LIMIT p_limit;
  END $$;
  ${byIndex('waiting_audit(text, integer)')}

  -- Appends the records of these ids, in this order, after p_length entries.
  CREATE FUNCTION seal_audit(p_tenant text, p_length bigint, p_ids text[], p_hashes bytea[],
    p_mac bytea)
  RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    v_sealed bigint;
  BEGIN
    WITH sealed AS (
      DELETE FROM audit_records a USING unnest(p_ids, p_hashes) WITH ORDINALITY AS s (id, hash, place)
      WHERE a.tenant_id = p_tenant AND a.id = s.id
      RETURNING a.*, s.hash, s.place
    )
    INSERT INTO audit_entries (tenant_id, position, ${columns}, hash)
      SELECT p_tenant, p_length + place, ${columns}, hash FROM sealed;
    GET DIAGNOSTICS v_sealed = ROW_COUNT;
    IF v_sealed <> cardinality(p_ids) THEN RAISE 'audit records vanished under their lease'; END IF;
    INSERT INTO audit_heads AS h (tenant_id, length, last_hash, mac)
      VALUES (p_tenant, p_length + cardinality(p_ids), p_hashes[cardinality(p_hashes)], p_mac)
      ON CONFLICT (tenant_id) DO UPDATE
        SET length = excluded.length, last_hash = excluded.last_hash, mac = excluded.mac;
    IF p_length = 0 THEN UPDATE tenants SET audit_begun = true WHERE tenant_id = p_tenant; END IF;
  END $$;
  ${byIndex('seal_audit(text, bigint, text[], bytea[], bytea)')}

  -- Refusals of a key in the last minute, at whichever gateway; who asks for the same key waits until
  -- what is written now is committed.
  CREATE FUNCTION recent_refusals(p_tenant text, p_key text, p_actions text[]) RETURNS integer
  LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('access.refusals ' || p_key, 0));
    RETURN (SELECT count(*) FROM audit_records
            WHERE tenant_id = p_tenant AND actor_id = p_key AND action = ANY (p_actions)
              AND at > now() - interval '1 minute')
         + (SELECT count(*) FROM audit_entries
            WHERE tenant_id = p_tenant AND actor_id = p_key AND action = ANY (p_actions)
              AND at > now() - interval '1 minute');
  END $$;

  ${byIndex('recent_refusals(text, text, text[])')}

  -- Records that another service's notice brings.
  CREATE FUNCTION receive_audit(p_tenant text, p_records json) RETURNS void LANGUAGE sql AS $$
    INSERT INTO audit_records (tenant_id, ${columns})
    SELECT p_tenant, r.id, r.at, r."actorType", r."actorId", r.source, r.action, r."subjectId",
      r."requestId"
    FROM json_to_recordset(p_records) AS r (id text, at timestamptz, "actorType" text,
      "actorId" text, source text, action text, "subjectId" text, "requestId" text)
  $$;
`;

const reading = `
  -- A part of the chain in its order, and in the same glance how it should end: a row without an
  -- entry when there is none.
  CREATE FUNCTION walk_audit(p_tenant text, p_after bigint, p_limit integer)
  RETURNS TABLE (entry audit_entries, begun boolean, length float8, last_hash bytea, mac bytea)
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT part.entry, t.audit_begun, h.length::float8, h.last_hash, h.mac
      FROM tenants t
      LEFT JOIN audit_heads h ON h.tenant_id = t.tenant_id
      LEFT JOIN LATERAL (
        SELECT e AS entry FROM audit_entries e
        WHERE e.tenant_id = p_tenant AND e.position > p_after ORDER BY e.position LIMIT p_limit
      ) part ON true
      WHERE t.tenant_id = p_tenant ORDER BY (part.entry).position;
  END $$;

  ${byIndex('walk_audit(text, bigint, integer)')}

  CREATE FUNCTION count_waiting_audit(p_tenant text) RETURNS float8 LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN (SELECT count(*) FROM audit_records WHERE tenant_id = p_tenant);
  END $$;

  -- Newest first, after a place in that order. Made for the filters that are given, so that each finds
  -- its index.
  CREATE FUNCTION list_audit(p_tenant text, p_actor text, p_action text, p_from timestamptz,
    p_to timestamptz, p_after_at timestamptz, p_after_id text, p_limit integer)
  RETURNS SETOF audit_entries LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY EXECUTE 'SELECT * FROM audit_entries WHERE tenant_id = $1'
      || CASE WHEN p_actor IS NULL THEN '' ELSE ' AND actor_id = $2' END
      || CASE WHEN p_action IS NULL THEN '' ELSE ' AND action = $3' END
      || CASE WHEN p_from IS NULL THEN '' ELSE ' AND at >= $4' END
      || CASE WHEN p_to IS NULL THEN '' ELSE ' AND at < $5' END
      || CASE WHEN p_after_id IS NULL THEN '' ELSE ' AND (at, id) < ($6, $7)' END
      || ' ORDER BY at DESC, id DESC LIMIT $8'
      USING p_tenant, p_actor, p_action, p_from, p_to, p_after_at, p_after_id, p_limit;
  END $$;
`;
