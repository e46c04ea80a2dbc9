-- A page of entries, newest first, after a place in that order. Built from the filters that are given, so
-- that each finds its index.
CREATE OR REPLACE FUNCTION audit_page(p_tenant text, p_actor text, p_action text, p_subject text,
  p_from timestamptz, p_to timestamptz, p_after_at timestamptz, p_after_id text, p_limit integer)
RETURNS SETOF audit_entries LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_query text := 'SELECT * FROM audit_entries WHERE tenant_id = $1'
    || CASE WHEN p_actor IS NULL THEN '' ELSE ' AND actor_id = $2' END
    || CASE WHEN p_action IS NULL THEN '' ELSE ' AND action = $3' END
    || CASE WHEN p_subject IS NULL THEN '' ELSE ' AND subject_id = $4' END
    || CASE WHEN p_from IS NULL THEN '' ELSE ' AND at >= $5' END
    || CASE WHEN p_to IS NULL THEN '' ELSE ' AND at < $6' END
    || CASE WHEN p_after_id IS NULL THEN '' ELSE ' AND (at, id) < ($7, $8)' END
    || ' ORDER BY at DESC, id DESC LIMIT $9';
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY EXECUTE v_query
    USING p_tenant, p_actor, p_action, p_subject, p_from, p_to, p_after_at, p_after_id, p_limit;
END $$;

-- The names of those of these ids that are a member's, a key's or a team's.
CREATE OR REPLACE FUNCTION audit_names(p_tenant text, p_ids text[]) RETURNS TABLE (id text, name text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT m.id, m.name FROM members m WHERE m.tenant_id = p_tenant AND m.id = ANY (p_ids)
    UNION ALL SELECT k.id, k.name FROM keys k WHERE k.tenant_id = p_tenant AND k.id = ANY (p_ids)
    UNION ALL SELECT t.id, t.name FROM teams t WHERE t.tenant_id = p_tenant AND t.id = ANY (p_ids);
END $$;

-- A part of the chain in its order, and as of the same moment how it should end: a row without an entry
-- when there is none.
CREATE OR REPLACE FUNCTION scan_audit_chain(p_tenant text, p_after bigint, p_limit integer)
RETURNS TABLE (entry audit_entries, begun boolean, length float8, last_hash bytea, mac bytea)
LANGUAGE plpgsql STABLE SET enable_seqscan = off SET enable_bitmapscan = off AS $$
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

