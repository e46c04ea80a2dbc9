-- Where mail for an address goes, before a tenant is known. p_base is the address without its
-- sub-address, tried when the exact one is unknown. No row: the domain is no workspace's; a row without a
-- mailbox: the domain is, the address is not.
CREATE OR REPLACE FUNCTION find_recipient(p_exact text, p_base text)
RETURNS TABLE (tenant_id text, mailbox_id text, address text, automation boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT found.tenant_id, found.id, found.address, found.automation
  FROM domains d
  LEFT JOIN LATERAL (
    SELECT m.tenant_id, m.id, m.address, m.automation FROM mailboxes m
    WHERE m.tenant_id = d.tenant_id AND m.routing_address IN (p_exact, p_base)
      AND m.deleted_at IS NULL
    ORDER BY m.routing_address = p_exact DESC LIMIT 1
  ) found ON true
  WHERE d.name = split_part(p_exact, '@', 2) AND d.verified_at IS NOT NULL
$$;
