-- The tasks and events that are about a conversation, oldest first, at most 1,000 of each. Of events only
-- those of calendars that the member may see.
CREATE OR REPLACE FUNCTION links_of(
  p_tenant text, p_thread text, p_member text, p_tasks boolean, p_events boolean)
RETURNS TABLE (id text, title text, is_task boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    (SELECT l.id, l.title, true FROM conversation_links l
     WHERE p_tasks AND l.tenant_id = p_tenant AND l.thread_id = p_thread AND l.calendar_id IS NULL
     ORDER BY l.id LIMIT 1000)
    UNION ALL
    (SELECT l.id, l.title, false FROM conversation_links l
     JOIN known_calendars c ON c.tenant_id = l.tenant_id AND c.id = l.calendar_id
     WHERE p_events AND l.tenant_id = p_tenant AND l.thread_id = p_thread
       AND (c.is_shared OR c.owner_id = p_member)
     ORDER BY l.id LIMIT 1000);
END $$;
