-- Whether another workspace has this address or a sub-address of it: a mailbox beside it would take mail
-- that is theirs.
CREATE OR REPLACE FUNCTION taken_elsewhere(p_tenant text, p_base text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT FROM mailboxes m WHERE m.tenant_id <> p_tenant
      AND regexp_replace(m.routing_address, '^([^+@]+)[+][^@]*@', '\1@') = p_base)
$$;

-- Of these mailboxes, those that are shared with the workspace or with the member.
CREATE OR REPLACE FUNCTION visible_mailboxes(p_tenant text, p_member text, p_addresses text[])
RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT m.address FROM mailboxes m
    WHERE m.tenant_id = p_tenant AND m.address = ANY (p_addresses)
      AND (m.access = '"workspace"'::jsonb OR m.access ? p_member);
END $$;
