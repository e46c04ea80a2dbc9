-- A sandbox: how far its clock is ahead, and its last advance.
CREATE OR REPLACE FUNCTION sandbox_of(p_tenant text)
RETURNS TABLE (now_ms float8, ahead_ms float8, advance json) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT floor(extract(epoch FROM workspace_now(p_tenant)) * 1000)::float8,
    coalesce((SELECT c.ahead_ms FROM clocks c WHERE c.tenant_id = p_tenant), 0)::float8,
    (SELECT json_build_object('state', a.state, 'advanceMs', a.to_ms - a.from_ms,
       'advancedMs', a.ahead_ms - a.from_ms, 'stops', a.stops)
     FROM clock_advances a WHERE a.tenant_id = p_tenant);
END $$;

-- Advances that are to be gone on with, each for one process for a while.
CREATE OR REPLACE FUNCTION take_advances(p_limit integer)
RETURNS TABLE (tenant_id text, to_ms float8, ahead_ms float8, stops integer) LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH taken AS (
    SELECT t.tenant_id FROM clock_advances t WHERE t.state = 'running' AND t.leased_until < now()
    ORDER BY t.leased_until LIMIT p_limit FOR UPDATE SKIP LOCKED
  )
  UPDATE clock_advances a SET leased_until = now() + interval '45 seconds'
    FROM taken WHERE a.tenant_id = taken.tenant_id
    RETURNING a.tenant_id, a.to_ms::float8, a.ahead_ms::float8, a.stops
$$;

-- Records how far an advance is, before the clocks of the services are moved so far.
CREATE OR REPLACE FUNCTION record_advance(p_tenant text, p_ahead_ms bigint, p_stops integer, p_state text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  UPDATE clock_advances a SET ahead_ms = greatest(a.ahead_ms, p_ahead_ms), stops = p_stops, state = p_state,
      leased_until = now() + interval '45 seconds'
    WHERE a.tenant_id = p_tenant AND a.state = 'running';
END $$;
