-- Subscriptions of a workspace.
CREATE OR REPLACE FUNCTION subscriptions_of(p_tenant text) RETURNS SETOF subscriptions
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM subscriptions s WHERE s.tenant_id = p_tenant;
END $$;
