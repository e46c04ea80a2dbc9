-- A call that waits while a migration adds a column still expects rows as they were when it began: those of 0.1.0,
-- here. docs/architecture.md, "How it changes".

-- Refused writes of a key, newest first, before p_before. Ids are made a little later than the time is taken,
-- and concurrent ones in another order.
CREATE OR REPLACE FUNCTION list_refused_writes(
  p_tenant text, p_key text, p_before text, p_limit integer)
RETURNS SETOF refused_writes LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT * FROM refused_writes r
    WHERE r.tenant_id = p_tenant AND r.key_id = p_key AND r.at > now() - interval '7 days'
      AND (p_before IS NULL OR (r.at, r.id) < (
        SELECT b.at, b.id FROM refused_writes b
        WHERE b.tenant_id = p_tenant AND b.key_id = p_key AND b.id = p_before))
    ORDER BY r.at DESC, r.id DESC LIMIT p_limit;
EXCEPTION WHEN datatype_mismatch THEN
  RETURN QUERY
    SELECT r.tenant_id, r.key_id, r.id, r.at, r.operation, r.status, r.code, r.request_id
    FROM refused_writes r
    WHERE r.tenant_id = p_tenant AND r.key_id = p_key AND r.at > now() - interval '7 days'
      AND (p_before IS NULL OR (r.at, r.id) < (
        SELECT b.at, b.id FROM refused_writes b
        WHERE b.tenant_id = p_tenant AND b.key_id = p_key AND b.id = p_before))
    ORDER BY r.at DESC, r.id DESC LIMIT p_limit;
END $$;
