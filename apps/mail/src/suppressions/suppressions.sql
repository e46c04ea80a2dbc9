-- Suppressed addresses behind a place in their order, at most p_limit; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION list_suppressions(p_tenant text, p_after text, p_limit integer)
RETURNS SETOF suppressions LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT s.* FROM suppressions s WHERE s.tenant_id = p_tenant AND s.address > p_after
    ORDER BY s.address LIMIT p_limit;
END $$;

-- Those of some addresses.
CREATE OR REPLACE FUNCTION suppressions_of(p_tenant text, p_addresses text[])
RETURNS SETOF suppressions LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT s.* FROM suppressions s
    WHERE s.tenant_id = p_tenant AND s.address = ANY (p_addresses) ORDER BY s.address;
END $$;
