-- A call that waits while a migration adds a column still expects rows as they were when it began: those of 0.1.0,
-- here. docs/architecture.md, "How it changes".

CREATE OR REPLACE FUNCTION find_approval(p_tenant text, p_id text) RETURNS SETOF approvals
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT * FROM approvals a WHERE a.tenant_id = p_tenant AND a.id = p_id;
EXCEPTION WHEN datatype_mismatch THEN
  RETURN QUERY
    SELECT a.tenant_id, a.id, a.key_id, a.key_name, a.state, a.operation, a.summary, a.payload,
      a.payload_hash, a.target_type, a.target_id, a.target_version, a.difference, a.within_type,
      a.within_id, a.channel, a.idempotency_key, a.request_id, a.created_at, a.expires_at,
      a.decided_by_id, a.decided_by, a.decided_at, a.comment, a.leased_until, a.attempts,
      a.result_status, a.result_headers, a.result_body, a.result_problem, a.closed_at, a.receipt
    FROM approvals a WHERE a.tenant_id = p_tenant AND a.id = p_id;
END $$;

CREATE OR REPLACE FUNCTION find_approvals(p_tenant text, p_ids text[]) RETURNS SETOF approvals
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT * FROM approvals a
    WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids) ORDER BY a.id DESC;
EXCEPTION WHEN datatype_mismatch THEN
  RETURN QUERY
    SELECT a.tenant_id, a.id, a.key_id, a.key_name, a.state, a.operation, a.summary, a.payload,
      a.payload_hash, a.target_type, a.target_id, a.target_version, a.difference, a.within_type,
      a.within_id, a.channel, a.idempotency_key, a.request_id, a.created_at, a.expires_at,
      a.decided_by_id, a.decided_by, a.decided_at, a.comment, a.leased_until, a.attempts,
      a.result_status, a.result_headers, a.result_body, a.result_problem, a.closed_at, a.receipt
    FROM approvals a
    WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids) ORDER BY a.id DESC;
END $$;
