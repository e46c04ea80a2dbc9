-- A page of entries, newest first, after a place in that order. Built from the filters that are given, so
-- that each finds its index.
CREATE OR REPLACE FUNCTION audit_page(p_tenant text, p_actor text, p_action text,
  p_from timestamptz, p_to timestamptz, p_after_at timestamptz, p_after_id text, p_limit integer)
RETURNS SETOF audit_entries LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_query text := 'SELECT * FROM audit_entries WHERE tenant_id = $1'
    || CASE WHEN p_actor IS NULL THEN '' ELSE ' AND actor_id = $2' END
    || CASE WHEN p_action IS NULL THEN '' ELSE ' AND action = $3' END
    || CASE WHEN p_from IS NULL THEN '' ELSE ' AND at >= $4' END
    || CASE WHEN p_to IS NULL THEN '' ELSE ' AND at < $5' END
    || CASE WHEN p_after_id IS NULL THEN '' ELSE ' AND (at, id) < ($6, $7)' END
    || ' ORDER BY at DESC, id DESC LIMIT $8';
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY EXECUTE v_query
    USING p_tenant, p_actor, p_action, p_from, p_to, p_after_at, p_after_id, p_limit;
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

