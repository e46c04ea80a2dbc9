-- The oldest events that the bus has refused. Their payload is not for an operator to read.
CREATE OR REPLACE FUNCTION parked_events(p_limit integer)
RETURNS TABLE (id text, type text, tenant_id text, resource text, sequence float8,
  created_at timestamptz, refusal text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT o.event_id, o.type, o.tenant_id, o.resource, o.sequence::float8, o.created_at, o.refusal
  FROM outbox o WHERE o.refusal IS NOT NULL ORDER BY o.position LIMIT p_limit
$$;

-- Lets all of them be published once more, and returns how many they are; relays are woken.
CREATE OR REPLACE FUNCTION release_parked() RETURNS float8 LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_released bigint;
BEGIN
  UPDATE outbox SET refusal = NULL WHERE refusal IS NOT NULL;
  GET DIAGNOSTICS v_released = ROW_COUNT;
  IF v_released > 0 THEN PERFORM pg_notify('postroom_outbox_' || current_schema(), ''); END IF;
  RETURN v_released;
END $$;
