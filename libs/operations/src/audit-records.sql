-- Moves the oldest records into the outbox, as one internal event a tenant, in one commit, and returns how
-- many records they were. One call at a time does it; a concurrent one has nothing to do.
CREATE OR REPLACE FUNCTION forward_audit(p_records integer) RETURNS integer LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_moved integer;
BEGIN
  IF NOT try_turn('forward_audit') THEN
    RETURN 0;
  END IF;
  WITH oldest AS (
    SELECT a.tenant_id, a.id FROM audit_records a ORDER BY a.tenant_id, a.id LIMIT p_records
  ), moved AS (
    DELETE FROM audit_records a USING oldest o
    WHERE a.tenant_id = o.tenant_id AND a.id = o.id RETURNING a.*
  ), events AS (
    INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
    SELECT m.tenant_id, min(m.id), 'audit.recorded', 'audit', nextval('audit_event_numbers'),
      json_build_object('occurredAt', now(), 'records', json_agg(json_build_object(
        'id', m.id,
        'at', to_char(m.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'actorType', m.actor_type, 'actorId', m.actor_id, 'source', m.source,
        'action', m.action, 'subjectId', m.subject_id, 'requestId', m.request_id,
        'approvedBy', m.approved_by, 'durationMs', m.duration_ms
      ) ORDER BY m.id))::text
    FROM moved m GROUP BY m.tenant_id
  )
  SELECT count(*) INTO v_moved FROM moved;
  RETURN v_moved;
END $$;

-- Records of a tenant that are not sealed: those that wait here, and those in internal events that wait
-- in the outbox or are parked there.
CREATE OR REPLACE FUNCTION count_audit_backlog(p_tenant text) RETURNS float8
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (SELECT count(*) FROM audit_records WHERE tenant_id = p_tenant)
    + (SELECT coalesce(sum(json_array_length(envelope::json->'records')), 0) FROM outbox
       WHERE tenant_id = p_tenant AND resource = 'audit' AND type = 'audit.recorded');
END $$;
