-- Usage of a quota of this service by a workspace; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION quota_used(p_tenant text, p_quota text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN counted_of_quota(p_tenant, p_quota);
END $$;
