-- Writes that were filed in a period, by key, operation and day of the workspace, and what became of them.
CREATE OR REPLACE FUNCTION agent_days(
  p_tenant text, p_zone text, p_from date, p_to date, p_limit integer)
RETURNS TABLE (key_id text, name text, operation text, day date, filed float8, approved float8,
  rejected float8, expired float8, refused float8, failed float8, executed float8, median_ms float8)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT a.key_id, max(a.key_name), a.operation, (a.created_at AT TIME ZONE p_zone)::date AS d,
      count(*)::float8,
      (count(*) FILTER (WHERE a.decided_at IS NOT NULL AND a.state <> 'rejected'))::float8,
      (count(*) FILTER (WHERE a.state = 'rejected'))::float8,
      (count(*) FILTER (WHERE a.state = 'expired'))::float8,
      (count(*) FILTER (WHERE a.state = 'refused'))::float8,
      (count(*) FILTER (WHERE a.state = 'failed'))::float8,
      (count(*) FILTER (WHERE a.state = 'executed'))::float8,
      round(percentile_cont(0.5) WITHIN GROUP (
        ORDER BY extract(epoch FROM a.decided_at - a.created_at) * 1000)::numeric)::float8
    FROM approvals a
    WHERE a.tenant_id = p_tenant
      AND a.created_at >= p_from::timestamp AT TIME ZONE p_zone
      AND a.created_at < (p_to + 1)::timestamp AT TIME ZONE p_zone
    GROUP BY a.key_id, a.operation, d
    ORDER BY d DESC, a.key_id, a.operation LIMIT p_limit;
END $$;
