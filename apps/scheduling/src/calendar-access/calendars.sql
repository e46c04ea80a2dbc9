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
