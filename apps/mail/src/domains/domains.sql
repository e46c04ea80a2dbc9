-- The workspace that has proved a domain or was given it, over all workspaces; null for none.
CREATE OR REPLACE FUNCTION domain_owner(p_domain text) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT d.tenant_id FROM domains d WHERE d.name = p_domain AND d.verified_at IS NOT NULL
$$;

-- The domains of a workspace; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION domains_of(p_tenant text) RETURNS SETOF domains
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT d.* FROM domains d WHERE d.tenant_id = p_tenant ORDER BY d.name;
END $$;
