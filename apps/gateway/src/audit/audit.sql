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

