-- Whether another workspace has this address or a sub-address of it: a mailbox beside it would take mail
-- that is theirs.
CREATE OR REPLACE FUNCTION taken_elsewhere(p_tenant text, p_base text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT EXISTS (
    SELECT FROM mailboxes m WHERE m.tenant_id <> p_tenant
      AND regexp_replace(m.routing_address, '^([^+@]+)[+][^@]*@', '\1@') = p_base)
$$;
