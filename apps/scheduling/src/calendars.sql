-- Calendars of the workspace, and a member's own, by name.
CREATE OR REPLACE FUNCTION list_calendars(p_tenant text, p_member text, p_limit integer)
RETURNS SETOF calendars LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT c.* FROM calendars c
    WHERE c.tenant_id = p_tenant AND (c.scope = 'shared' OR c.owner_id = p_member)
    ORDER BY c.name COLLATE "fr-x-icu", c.id LIMIT p_limit;
END $$;

CREATE OR REPLACE FUNCTION find_calendar(p_tenant text, p_id text) RETURNS SETOF calendars
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT c.* FROM calendars c WHERE c.tenant_id = p_tenant AND c.id = p_id;
END $$;

-- Forgets who might see deleted calendars once no event of theirs is kept any more (WEBHOOK_EVENT_DAYS, 14 at most).
CREATE OR REPLACE FUNCTION purge_deleted_calendars() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT tenant_id, id FROM deleted_calendars WHERE deleted_at < now() - interval '15 days' LIMIT 1000
  ), deleted AS (
    DELETE FROM deleted_calendars d USING old WHERE d.tenant_id = old.tenant_id AND d.id = old.id RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
