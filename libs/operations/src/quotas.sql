-- Adds to the amount of a quota, in a slot that no other transaction has locked, or in a new one.
CREATE OR REPLACE FUNCTION add_to_quota(
  p_tenant text, p_quota text, p_amount bigint, p_day date DEFAULT '-infinity')
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_slot uuid;
BEGIN
  SELECT c.slot INTO v_slot FROM quota_counters c
    WHERE c.tenant_id = p_tenant AND c.quota = p_quota AND c.day = p_day
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND THEN
    UPDATE quota_counters c SET amount = c.amount + p_amount
      WHERE c.tenant_id = p_tenant AND c.quota = p_quota AND c.day = p_day AND c.slot = v_slot;
  ELSE
    INSERT INTO quota_counters (tenant_id, quota, day, amount)
      VALUES (p_tenant, p_quota, p_day, p_amount);
  END IF;
END $$;

CREATE OR REPLACE FUNCTION counted_of_quota(
  p_tenant text, p_quota text, p_day date DEFAULT '-infinity')
RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(c.amount), 0)::bigint FROM quota_counters c
  WHERE c.tenant_id = p_tenant AND c.quota = p_quota AND c.day = p_day
$$;
