CREATE OR REPLACE FUNCTION find_approval(p_tenant text, p_id text) RETURNS SETOF approvals
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT * FROM approvals a WHERE a.tenant_id = p_tenant AND a.id = p_id;
END $$;

CREATE OR REPLACE FUNCTION find_approvals(p_tenant text, p_ids text[]) RETURNS SETOF approvals
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT * FROM approvals a
    WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids) ORDER BY a.id DESC;
END $$;

-- The approval that has taken an Idempotency-Key of a key's operation, if any: while it is open, and for
-- 24 hours after it closed. And how many writes of the key wait. With p_before, the last of those whose keys are
-- from the one on and before that: the generations of a derived key.
DROP FUNCTION IF EXISTS filed_before(text, text, text, text);
CREATE OR REPLACE FUNCTION filed_before(
  p_tenant text, p_key text, p_operation text, p_idempotency_key text, p_before text DEFAULT NULL)
RETURNS TABLE (approval json, waiting integer) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT
    (SELECT to_json(a) FROM approvals a
     WHERE a.tenant_id = p_tenant AND a.key_id = p_key AND a.operation = p_operation
       AND a.idempotency_key >= p_idempotency_key
       AND a.idempotency_key <= coalesce(p_before, p_idempotency_key)
       AND (a.closed_at IS NULL OR a.closed_at > workspace_now(p_tenant) - interval '24 hours')
     ORDER BY a.id DESC LIMIT 1),
    (SELECT count(*)::integer FROM approvals a
     WHERE a.tenant_id = p_tenant AND a.key_id = p_key AND a.state = 'pending');
END $$;

-- Places of approvals, newest first, before p_before: what a page is chosen from.
CREATE OR REPLACE FUNCTION approval_places(
  p_tenant text, p_states text[], p_key text, p_mailbox text, p_operation text, p_target text,
  p_before text, p_limit integer)
RETURNS TABLE (id text, within_type text, within_id text, bytes integer)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY EXECUTE 'SELECT id, within_type, within_id,
      octet_length(payload) + octet_length(difference) + coalesce(octet_length(result_body), 0)
    FROM approvals WHERE tenant_id = $1'
    || CASE WHEN p_states IS NULL THEN '' ELSE ' AND state = ANY ($2)' END
    || CASE WHEN p_key IS NULL THEN '' ELSE ' AND key_id = $3' END
    || CASE WHEN p_mailbox IS NULL THEN '' ELSE ' AND within_type = ''mailbox'' AND within_id = $4' END
    || CASE WHEN p_operation IS NULL THEN '' ELSE ' AND operation = $5' END
    || CASE WHEN p_target IS NULL THEN '' ELSE ' AND target_id = $6' END
    || CASE WHEN p_before IS NULL THEN '' ELSE ' AND id < $7' END
    || ' ORDER BY id DESC LIMIT $8'
    USING p_tenant, p_states, p_key, p_mailbox, p_operation, p_target, p_before, p_limit;
END $$;

-- Counts approvals by state, and by the container whose readers may see them.
CREATE OR REPLACE FUNCTION approval_counts(
  p_tenant text, p_key text, p_mailbox text, p_operation text, p_target text)
RETURNS TABLE (state text, within_type text, within_id text, approvals bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT a.state, a.within_type, a.within_id, count(*) FROM approvals a
    WHERE a.tenant_id = p_tenant AND (p_key IS NULL OR a.key_id = p_key)
      AND (p_mailbox IS NULL OR a.within_type = 'mailbox' AND a.within_id = p_mailbox)
      AND (p_operation IS NULL OR a.operation = p_operation)
      AND (p_target IS NULL OR a.target_id = p_target)
    GROUP BY 1, 2, 3;
END $$;

-- Approvals with work to do, of all workspaces: pending ones past their time, approved ones that no live lease
-- holds, and closed ones without a receipt, which are those whose key was revoked.
CREATE OR REPLACE FUNCTION approvals_to_do(p_limit integer)
RETURNS TABLE (tenant_id text, id text, what text) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  (SELECT a.tenant_id, a.id, 'expire' FROM approvals a
   WHERE a.state = 'pending' AND a.expires_at <= now() ORDER BY a.expires_at LIMIT p_limit)
  UNION ALL
  (SELECT a.tenant_id, a.id, 'expire' FROM clocks c JOIN approvals a ON a.tenant_id = c.tenant_id
   WHERE a.state = 'pending' AND a.expires_at > now() AND a.expires_at <= workspace_now(c.tenant_id)
   ORDER BY a.expires_at LIMIT p_limit)
  UNION ALL
  (SELECT a.tenant_id, a.id, 'execute' FROM approvals a
   WHERE a.state IN ('approved', 'executing') AND coalesce(a.leased_until <= now(), true)
   ORDER BY a.leased_until NULLS FIRST LIMIT p_limit)
  UNION ALL
  (SELECT a.tenant_id, a.id, 'sign' FROM approvals a
   WHERE a.closed_at IS NOT NULL AND a.receipt IS NULL LIMIT p_limit)
$$;

CREATE OR REPLACE FUNCTION purge_approvals() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT tenant_id, id FROM approvals WHERE closed_at < now() - interval '90 days' LIMIT 1000
  ), deleted AS (
    DELETE FROM approvals a USING old WHERE a.tenant_id = old.tenant_id AND a.id = old.id RETURNING 1
  ) SELECT count(*) FROM deleted
$$;

CREATE OR REPLACE FUNCTION count_pending_approvals(p_tenant text) RETURNS float8
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (SELECT count(*) FROM approvals a WHERE a.tenant_id = p_tenant AND a.state = 'pending');
END $$;

-- Approvals of a workspace that wait for a decision, by whose readers may see them.
CREATE OR REPLACE FUNCTION waiting_approvals(p_tenant text)
RETURNS TABLE (within_type text, within_id text, waiting float8) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT a.within_type, a.within_id, count(*)::float8 FROM approvals a
    WHERE a.tenant_id = p_tenant AND a.state = 'pending' GROUP BY 1, 2;
END $$;

-- Approvals that wait for a decision, over all workspaces.
CREATE OR REPLACE FUNCTION approvals_waiting() RETURNS TABLE (pending float8, oldest_seconds float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT count(*)::float8, coalesce(extract(epoch FROM now() - min(a.created_at)), 0)::float8
  FROM approvals a WHERE a.state = 'pending'
$$;
