-- Finds the mailbox of an address before a tenant is known. p_base is the address without its
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

-- Answers true if a workspace has room for arriving bytes.
CREATE OR REPLACE FUNCTION has_room_for_arrival(
  p_tenant text, p_bytes bigint, p_stored_max bigint, p_arriving_max bigint)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN counted_of_quota(p_tenant, 'storedBytes') + p_bytes <= p_stored_max
    AND counted_of_quota(p_tenant, 'arrivingBytes', quota_day()) + p_bytes <= p_arriving_max;
END $$;

-- Counts bytes that arrive, in the transaction that stores them; false where there is no room for them.
CREATE OR REPLACE FUNCTION take_arrival(
  p_tenant text, p_bytes bigint, p_stored_max bigint, p_arriving_max bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF NOT has_room_for_arrival(p_tenant, p_bytes, p_stored_max, p_arriving_max) THEN
    RETURN false;
  END IF;
  PERFORM add_to_quota(p_tenant, 'arrivingBytes', p_bytes, quota_day());
  RETURN true;
END $$;

-- Like find_recipient; is_full: its workspace has no room for another byte.
CREATE OR REPLACE FUNCTION find_recipient_with_room(
  p_exact text, p_base text, p_stored_max bigint, p_arriving_max bigint)
RETURNS TABLE (
  tenant_id text, mailbox_id text, address text, automation boolean, is_full boolean)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  RETURN QUERY
    SELECT f.*, f.tenant_id IS NOT NULL
      AND NOT has_room_for_arrival(f.tenant_id, 1, p_stored_max, p_arriving_max)
    FROM find_recipient(p_exact, p_base) f;
END $$;
