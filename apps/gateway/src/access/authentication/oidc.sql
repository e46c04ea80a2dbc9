-- Workspaces that sign in with a provider, by their id or else name, or by the domain of an address; without either, any.
CREATE OR REPLACE FUNCTION find_oidc(p_workspace text, p_domain text)
RETURNS TABLE (
  tenant_id text, tenant_name text, issuer text, client_id text, sealed_client_secret text,
  domains text[]
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.tenant_id, t.name, r.issuer, r.client_id, r.sealed_client_secret, r.domains
  FROM sign_in_settings r JOIN tenants t ON t.tenant_id = r.tenant_id
  WHERE r.issuer IS NOT NULL
    AND (p_workspace = t.tenant_id
      OR p_workspace = t.name AND NOT EXISTS (SELECT FROM tenants o WHERE o.tenant_id = p_workspace)
      OR p_workspace IS NULL AND (p_domain IS NULL OR p_domain = ANY (r.domains)))
  ORDER BY t.tenant_id LIMIT 10
$$;

-- The active member of a workspace with an address.
CREATE OR REPLACE FUNCTION find_member_by_address(p_tenant text, p_email text)
RETURNS TABLE (
  tenant_id text, tenant_name text, send_open boolean, member_id text, email text, name text,
  role text, can_approve boolean
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT t.tenant_id, t.name, t.send_open, m.id, m.email, m.name, m.role, m.can_approve
  FROM members m JOIN tenants t ON t.tenant_id = m.tenant_id
  WHERE m.tenant_id = p_tenant AND m.email = p_email AND m.active
$$;
