-- Where mail for an address goes, before a tenant is known. p_base is the address without its
-- sub-address, tried when the exact one is unknown. No row: the domain is not ours; a row without a
-- mailbox: the domain is, the address is not.
CREATE OR REPLACE FUNCTION find_recipient(p_exact text, p_base text)
RETURNS TABLE (tenant_id text, mailbox_id text, address text, automation boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT found.tenant_id, found.id, found.address, found.automation
  FROM (
    SELECT FROM mailboxes m
    WHERE split_part(m.routing_address, '@', 2) = split_part(p_exact, '@', 2) LIMIT 1
  ) hosted
  LEFT JOIN LATERAL (
    SELECT m.tenant_id, m.id, m.address, m.automation FROM mailboxes m
    WHERE m.routing_address IN (p_exact, p_base)
    ORDER BY m.routing_address = p_exact DESC LIMIT 1
  ) found ON true
$$;
