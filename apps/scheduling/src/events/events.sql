-- Events of the calendars that a member may see, or of one of them, with an occurrence that may touch a
-- window, by their first moment; of too many those that end first, so that series without an end, which may
-- have nothing in the window, leave no other out. p_reminding: those with reminders alone. It ends with the event
-- that exceeds p_bytes; `bytes` are those of the event and all that end before it.
CREATE OR REPLACE FUNCTION list_events(
  p_tenant text, p_member text, p_calendar text, p_from bigint, p_to bigint, p_reminding boolean,
  p_limit integer, p_bytes integer)
RETURNS TABLE (event calendar_events, bytes bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_calendars text[];
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  v_calendars := ARRAY(SELECT c.id FROM calendars c
    WHERE c.tenant_id = p_tenant AND (c.scope = 'shared' OR c.owner_id = p_member)
      AND (p_calendar IS NULL OR c.id = p_calendar));
  RETURN QUERY SELECT counted.found, counted.through FROM (
    SELECT e.found, e.own, sum(e.own) OVER (ORDER BY (e.found).last_ms, (e.found).id)::bigint AS through
    FROM (
      SELECT e.found, octet_length((e.found).content::text) AS own
      FROM unnest(v_calendars) AS calendar (id)
      CROSS JOIN LATERAL (
        SELECT e AS found FROM calendar_events e
        WHERE e.tenant_id = p_tenant AND e.calendar_id = calendar.id
          AND e.last_ms >= p_from AND e.first_ms <= p_to
          AND (NOT p_reminding OR e.has_reminders)
        ORDER BY e.last_ms LIMIT p_limit) e
      ORDER BY (e.found).last_ms, (e.found).id LIMIT p_limit) e) counted
    WHERE counted.through - counted.own <= p_bytes
    ORDER BY (counted.found).first_ms, (counted.found).id;
END $$;

-- Events of a calendar in the order of their ids, after one of them.
CREATE OR REPLACE FUNCTION list_events_after(p_tenant text, p_calendar text, p_after text, p_limit integer)
RETURNS SETOF calendar_events LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT e.* FROM calendar_events e
    WHERE e.tenant_id = p_tenant AND e.calendar_id = p_calendar AND e.id > p_after
    ORDER BY e.id LIMIT p_limit;
END $$;

-- An event with its calendar's scope and owner.
CREATE OR REPLACE FUNCTION read_event(p_tenant text, p_id text)
RETURNS TABLE (event calendar_events, scope text, owner_id text) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT e, c.scope, c.owner_id FROM calendar_events e
    JOIN calendars c ON c.tenant_id = e.tenant_id AND c.id = e.calendar_id
    WHERE e.tenant_id = p_tenant AND e.id = p_id;
END $$;
