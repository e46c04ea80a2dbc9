-- Adds to what a workspace has: in a slot that nobody else is changing, or in a new one.
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

CREATE OR REPLACE FUNCTION count_draft() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN PERFORM add_to_quota(NEW.tenant_id, 'drafts', 1);
  ELSE PERFORM add_to_quota(OLD.tenant_id, 'drafts', -1);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_draft AFTER INSERT OR DELETE ON drafts
  FOR EACH ROW EXECUTE FUNCTION count_draft();

-- Rows of these two are added and deleted, and never changed. Row by row, since a row has its bytes elsewhere,
-- and a transition table would copy them.
CREATE OR REPLACE FUNCTION count_message_bytes() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_quota(NEW.tenant_id, 'storedBytes', octet_length(NEW.raw));
  ELSE
    PERFORM add_to_quota(OLD.tenant_id, 'storedBytes', -octet_length(OLD.raw));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_message_bytes AFTER INSERT OR DELETE ON raw_messages
  FOR EACH ROW EXECUTE FUNCTION count_message_bytes();

CREATE OR REPLACE FUNCTION count_file_bytes() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_quota(NEW.tenant_id, 'storedBytes', octet_length(NEW.bytes));
  ELSE
    PERFORM add_to_quota(OLD.tenant_id, 'storedBytes', -octet_length(OLD.bytes));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_file_bytes AFTER INSERT OR DELETE ON draft_files
  FOR EACH ROW EXECUTE FUNCTION count_file_bytes();

-- The day that arriving mail is counted for.
CREATE OR REPLACE FUNCTION quota_day() RETURNS date LANGUAGE sql STABLE AS $$
  SELECT (now() AT TIME ZONE 'UTC')::date
$$;

CREATE OR REPLACE FUNCTION counted_of_quota(
  p_tenant text, p_quota text, p_day date DEFAULT '-infinity')
RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(sum(c.amount), 0)::bigint FROM quota_counters c
  WHERE c.tenant_id = p_tenant AND c.quota = p_quota AND c.day = p_day
$$;

-- How much a workspace has, of what the mail service keeps; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION quota_used(p_tenant text, p_quota text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN CASE p_quota
    WHEN 'mailboxes' THEN (SELECT count(*) FROM mailboxes m WHERE m.tenant_id = p_tenant)
    WHEN 'arrivingBytes' THEN counted_of_quota(p_tenant, p_quota, quota_day())
    ELSE counted_of_quota(p_tenant, p_quota)
  END;
END $$;

-- Deletes what arrived on days that are over, of every tenant; the last one stays for who began before midnight.
CREATE OR REPLACE FUNCTION purge_arrivals() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH deleted AS (
    DELETE FROM quota_counters c WHERE c.quota = 'arrivingBytes' AND c.day < quota_day() - 1 RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
