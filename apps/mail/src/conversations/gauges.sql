CREATE OR REPLACE FUNCTION count_open_conversations(p_tenant text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (
    SELECT count(*) FROM conversations c
    WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.status = 'open');
END $$;
