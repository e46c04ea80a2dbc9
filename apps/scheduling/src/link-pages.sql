-- The calendars of a workspace after one of them, in the order of their ids.
CREATE OR REPLACE FUNCTION calendars_after(p_tenant text, p_after text, p_limit integer)
RETURNS SETOF calendars LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT * FROM calendars c WHERE c.tenant_id = p_tenant AND c.id > p_after
    ORDER BY c.id LIMIT p_limit;
END $$;

-- The events and tasks of a workspace that are about a conversation, after one of them, in the order of
-- their ids.
CREATE OR REPLACE FUNCTION links_after(p_tenant text, p_after text, p_limit integer)
RETURNS TABLE (id text, title text, thread_id text, calendar_id text, sequence bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT * FROM (
      (SELECT e.id AS link_id, e.content ->> 'title', e.thread_id, e.calendar_id, e.sequence
       FROM calendar_events e
       WHERE e.tenant_id = p_tenant AND e.id > p_after AND e.thread_id IS NOT NULL
       ORDER BY e.id LIMIT p_limit)
      UNION ALL
      (SELECT t.id, t.title, t.thread_id, NULL, t.sequence
       FROM tasks t
       WHERE t.tenant_id = p_tenant AND t.id > p_after AND t.thread_id IS NOT NULL
       ORDER BY t.id LIMIT p_limit)
    ) links ORDER BY link_id LIMIT p_limit;
END $$;
