-- The calendar that a secret shows, and whose it is.
CREATE OR REPLACE FUNCTION find_feed_calendar(p_tenant text, p_hash bytea)
RETURNS TABLE (calendar_id text, scope text, owner_id text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT f.calendar_id, c.scope, c.owner_id FROM calendar_feeds f
    JOIN calendars c ON c.tenant_id = f.tenant_id AND c.id = f.calendar_id
    WHERE f.tenant_id = p_tenant AND f.secret_hash = p_hash;
END $$;

-- Every time zone that the events of a calendar are in, and the first moment of all of them.
CREATE OR REPLACE FUNCTION zones_of_calendar(p_tenant text, p_calendar text)
RETURNS TABLE (zone text, first_ms bigint) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT z.zone, min(e.first_ms) FROM calendar_events e
    CROSS JOIN LATERAL (VALUES
      (coalesce(e.content->'recurrence'->>'timeZone', e.content->>'timeZone'))) AS z (zone)
    WHERE e.tenant_id = p_tenant AND e.calendar_id = p_calendar
      AND NOT (e.content->>'allDay')::boolean
    GROUP BY z.zone ORDER BY z.zone;
END $$;
