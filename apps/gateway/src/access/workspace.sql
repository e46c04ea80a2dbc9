CREATE OR REPLACE FUNCTION find_tenant(p_name text) RETURNS text LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT tenant_id FROM tenants WHERE name = p_name
$$;

-- The sandboxes that a workspace has made.
CREATE OR REPLACE FUNCTION sandboxes_of(p_tenant text)
RETURNS TABLE (id text, name text, created_at timestamptz) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.tenant_id, t.name, t.created_at FROM tenants t WHERE t.sandbox_of = p_tenant
  ORDER BY t.created_at, t.tenant_id
$$;

-- The time zone of a workspace, and which day it is there.
CREATE OR REPLACE FUNCTION workspace_clock(p_tenant text) RETURNS TABLE (time_zone text, today date)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT t.time_zone, (workspace_now(p_tenant) AT TIME ZONE t.time_zone)::date FROM tenants t
    WHERE t.tenant_id = p_tenant;
END $$;
