-- The use of a quota by a workspace; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION quota_used(p_tenant text, p_quota text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN CASE p_quota
    WHEN 'keys' THEN
      (SELECT count(*) FROM keys k WHERE k.tenant_id = p_tenant AND k.revoked_at IS NULL)
    WHEN 'members' THEN (SELECT count(*) FROM members m WHERE m.tenant_id = p_tenant)
  END;
END $$;
