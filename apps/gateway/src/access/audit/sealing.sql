-- Plans of functions on the queue of records are made while it is empty and kept while it fills: hence no
-- sequential scans.

-- Workspaces that have records to be sealed: one look into the index for each.
CREATE OR REPLACE FUNCTION audit_waiting() RETURNS TABLE (tenant_id text) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  WITH RECURSIVE waiting AS (
    (SELECT a.tenant_id FROM audit_records a ORDER BY a.tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT a.tenant_id FROM audit_records a WHERE a.tenant_id > w.tenant_id
            ORDER BY a.tenant_id LIMIT 1)
    FROM waiting w WHERE w.tenant_id IS NOT NULL
  )
  SELECT w.tenant_id FROM waiting w WHERE w.tenant_id IS NOT NULL
$$;

-- Sets the tenant and locks the workspace's row until the transaction ends: no row when another has it locked.
-- Then, in a statement that sees what the last one has committed, where the chain stands.
CREATE OR REPLACE FUNCTION begin_sealing(p_tenant text)
RETURNS TABLE (begun boolean, length float8, last_hash bytea, mac bytea) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  PERFORM FROM tenants t WHERE t.tenant_id = p_tenant FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  RETURN QUERY SELECT t.audit_begun, h.length::float8, h.last_hash, h.mac
    FROM tenants t LEFT JOIN audit_heads h ON h.tenant_id = t.tenant_id
    WHERE t.tenant_id = p_tenant;
END $$;

CREATE OR REPLACE FUNCTION waiting_audit(p_tenant text, p_limit integer)
RETURNS SETOF audit_records LANGUAGE plpgsql STABLE
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  RETURN QUERY SELECT a.* FROM audit_records a
    WHERE a.tenant_id = p_tenant ORDER BY a.id LIMIT p_limit;
END $$;

-- Appends the records of these ids, in this order, after p_length entries.
CREATE OR REPLACE FUNCTION seal_audit(
  p_tenant text, p_length bigint, p_ids text[], p_hashes bytea[], p_mac bytea)
RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_sealed bigint;
BEGIN
  WITH sealed AS (
    DELETE FROM audit_records a USING unnest(p_ids, p_hashes) WITH ORDINALITY AS s (id, hash, place)
    WHERE a.tenant_id = p_tenant AND a.id = s.id
    RETURNING a.*, s.hash, s.place
  )
  INSERT INTO audit_entries (tenant_id, position, id, at, actor_type, actor_id, source, action,
      subject_id, request_id, approved_by, duration_ms, hash)
    SELECT p_tenant, p_length + place, id, at, actor_type, actor_id, source, action, subject_id,
      request_id, approved_by, duration_ms, hash FROM sealed;
  GET DIAGNOSTICS v_sealed = ROW_COUNT;
  IF v_sealed <> cardinality(p_ids) THEN RAISE 'audit records vanished under their lock'; END IF;
  PERFORM set_audit_head(p_tenant, p_length, p_hashes, p_mac);
END $$;

-- Appends the records of an internal event, in its order, after p_length entries.
CREATE OR REPLACE FUNCTION seal_received(
  p_tenant text, p_length bigint, p_records json, p_hashes bytea[], p_mac bytea)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_entries (tenant_id, position, id, at, actor_type, actor_id, source, action,
    subject_id, request_id, approved_by, duration_ms, hash)
  SELECT p_tenant, p_length + r.place, r.id, r.at, r.actor_type, r.actor_id, r.source, r.action,
    r.subject_id, r.request_id, r.approved_by, r.duration_ms, r.hash
  FROM ROWS FROM (
    json_to_recordset(p_records) AS (id text, at timestamptz, "actorType" text, "actorId" text,
      source text, action text, "subjectId" text, "requestId" text, "approvedBy" text,
      "durationMs" integer),
    unnest(p_hashes)
  ) WITH ORDINALITY AS r (id, at, actor_type, actor_id, source, action, subject_id, request_id,
    approved_by, duration_ms, hash, place);
  PERFORM set_audit_head(p_tenant, p_length, p_hashes, p_mac);
END $$;

-- Sets the end of a chain that these hashes were appended to after p_length entries.
CREATE OR REPLACE FUNCTION set_audit_head(
  p_tenant text, p_length bigint, p_hashes bytea[], p_mac bytea)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO audit_heads AS h (tenant_id, length, last_hash, mac)
    VALUES (p_tenant, p_length + cardinality(p_hashes), p_hashes[cardinality(p_hashes)], p_mac)
    ON CONFLICT (tenant_id) DO UPDATE
      SET length = excluded.length, last_hash = excluded.last_hash, mac = excluded.mac;
  IF p_length = 0 THEN UPDATE tenants SET audit_begun = true WHERE tenant_id = p_tenant; END IF;
END $$;

-- Queues the records of another service's internal event. One that was dead-lettered may come again when
-- the inbox has purged it: what waits or is sealed is not taken again. No sealer moves a record from the
-- one place to the other meanwhile: this has the workspace's lock.
CREATE OR REPLACE FUNCTION receive_audit(p_tenant text, p_records json) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
  PERFORM FROM tenants t WHERE t.tenant_id = p_tenant FOR NO KEY UPDATE;
  INSERT INTO audit_records (tenant_id, id, at, actor_type, actor_id, source, action, subject_id,
    request_id, approved_by, duration_ms)
  SELECT p_tenant, r.id, r.at, r."actorType", r."actorId", r.source, r.action, r."subjectId",
    r."requestId", r."approvedBy", r."durationMs"
  FROM json_to_recordset(p_records) AS r (id text COLLATE "C", at timestamptz,
    "actorType" text, "actorId" text, source text, action text, "subjectId" text,
    "requestId" text, "approvedBy" text, "durationMs" integer)
  WHERE NOT EXISTS (
    SELECT FROM audit_entries e WHERE e.tenant_id = p_tenant AND e.at = r.at AND e.id = r.id)
  ON CONFLICT DO NOTHING;
END $$;
