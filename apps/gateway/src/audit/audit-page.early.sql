-- A call that waits while a migration adds a column still expects rows as they were when it began: those of 0.1.0,
-- here. docs/architecture.md, "How it changes".

-- A page of entries, newest first, after a place in that order. Built from the filters that are given, so
-- that each finds its index.
CREATE OR REPLACE FUNCTION audit_page(p_tenant text, p_actor text, p_action text,
  p_from timestamptz, p_to timestamptz, p_after_at timestamptz, p_after_id text, p_limit integer)
RETURNS SETOF audit_entries LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_found text := ' FROM audit_entries WHERE tenant_id = $1'
    || CASE WHEN p_actor IS NULL THEN '' ELSE ' AND actor_id = $2' END
    || CASE WHEN p_action IS NULL THEN '' ELSE ' AND action = $3' END
    || CASE WHEN p_from IS NULL THEN '' ELSE ' AND at >= $4' END
    || CASE WHEN p_to IS NULL THEN '' ELSE ' AND at < $5' END
    || CASE WHEN p_after_id IS NULL THEN '' ELSE ' AND (at, id) < ($6, $7)' END
    || ' ORDER BY at DESC, id DESC LIMIT $8';
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY EXECUTE 'SELECT *' || v_found
    USING p_tenant, p_actor, p_action, p_from, p_to, p_after_at, p_after_id, p_limit;
EXCEPTION WHEN datatype_mismatch THEN
  RETURN QUERY EXECUTE 'SELECT tenant_id, position, id, at, actor_type, actor_id, source, action, subject_id,
      request_id, hash, approved_by' || v_found
    USING p_tenant, p_actor, p_action, p_from, p_to, p_after_at, p_after_id, p_limit;
END $$;
