-- Whether a workspace has room for bytes that arrive.
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

-- As find_recipient; is_full: its workspace has no room for another byte.
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
