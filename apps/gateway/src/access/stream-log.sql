-- Publishes a notice to the members of a workspace, once the transaction is committed: to be called last in it,
-- since concurrent publishers in the same workspace wait for each other.
CREATE OR REPLACE FUNCTION tell_stream(
  p_tenant text, p_type text, p_within_type text, p_within_id text, p_data text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM take_lock('access.stream ' || p_tenant);
  INSERT INTO stream_events (tenant_id, type, within_type, within_id, data)
    VALUES (p_tenant, p_type, p_within_type, p_within_id, p_data);
  INSERT INTO recorded_bytes (tenant_id, bytes) VALUES (p_tenant, octet_length(p_data));
  PERFORM pg_notify('stream', '');
END $$;

-- Publishes the notices of an event, a list of { type, withinType, withinId, data }, unless an earlier delivery
-- of the event did.
CREATE OR REPLACE FUNCTION tell_stream_of_event(
  p_tenant text, p_consumer text, p_event text, p_told jsonb)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF take_event(p_tenant, p_consumer, p_event) THEN
    PERFORM tell_stream(p_tenant, told->>'type', told->>'withinType', told->>'withinId', told->>'data')
      FROM jsonb_array_elements(p_told) WITH ORDINALITY AS list (told, number) ORDER BY number;
  END IF;
END $$;

-- The events after a position, in order.
CREATE OR REPLACE FUNCTION stream_after(p_tenant text, p_position bigint, p_limit integer)
RETURNS SETOF stream_events LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM stream_events e
    WHERE e.tenant_id = p_tenant AND e.position > p_position ORDER BY e.position LIMIT p_limit;
END $$;

-- The position of the last event, and whether what was told after p_position is all there still.
CREATE OR REPLACE FUNCTION stream_place(p_tenant text, p_position bigint)
RETURNS TABLE (last_position float8, is_known boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT
    coalesce((SELECT max(e.position) FROM stream_events e WHERE e.tenant_id = p_tenant), 0)::float8,
    EXISTS (SELECT FROM stream_events e WHERE e.tenant_id = p_tenant AND e.position = p_position);
END $$;

-- A little more than an hour is kept.
CREATE OR REPLACE FUNCTION purge_stream() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT tenant_id, position FROM stream_events WHERE at < now() - interval '65 minutes' LIMIT 1000
  ), deleted AS (
    DELETE FROM stream_events e USING old
    WHERE e.tenant_id = old.tenant_id AND e.position = old.position RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
