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

-- Comments are counted as the volumes are folded, a minute's at once: one that is written costs nothing more.
CREATE OR REPLACE FUNCTION count_comments() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN PERFORM add_to_quota(NEW.tenant_id, 'comments', NEW.amount);
  ELSE PERFORM add_to_quota(NEW.tenant_id, 'comments', NEW.amount - OLD.amount);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_comments AFTER INSERT OR UPDATE ON volumes
  FOR EACH ROW WHEN (NEW.kind = 'comments') EXECUTE FUNCTION count_comments();

-- Rows of these two are added and deleted, and none changes its length. Row by row, since a row has its bytes elsewhere,
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

CREATE OR REPLACE TRIGGER count_file_bytes AFTER INSERT OR DELETE ON draft_file_pieces
  FOR EACH ROW EXECUTE FUNCTION count_file_bytes();

-- Labels are few as a rule, and no quota bounds how many a mailbox learns.
CREATE OR REPLACE FUNCTION count_label_bytes() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    PERFORM add_to_quota(NEW.tenant_id, 'storedBytes', octet_length(NEW.name) + octet_length(NEW.key));
  ELSE
    PERFORM add_to_quota(OLD.tenant_id, 'storedBytes', -octet_length(OLD.name) - octet_length(OLD.key));
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_label_bytes AFTER INSERT OR DELETE ON labels
  FOR EACH ROW EXECUTE FUNCTION count_label_bytes();

-- The use of a quota by a workspace; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION quota_used(p_tenant text, p_quota text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN CASE p_quota
    WHEN 'mailboxes' THEN (SELECT count(*) FROM mailboxes m WHERE m.tenant_id = p_tenant)
    WHEN 'arrivingBytes' THEN counted_of_quota(p_tenant, p_quota, quota_day())
    WHEN 'comments' THEN counted_of_quota(p_tenant, p_quota) +
      (SELECT coalesce(sum(d.amount), 0) FROM volume_deltas d WHERE d.tenant_id = p_tenant AND d.kind = 'comments')
    ELSE counted_of_quota(p_tenant, p_quota)
  END;
END $$;

-- Deletes the counters of past days, of every tenant; yesterday's stays for transactions that began before midnight.
CREATE OR REPLACE FUNCTION purge_arrivals() RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_deleted bigint;
BEGIN
  DELETE FROM quota_counters c WHERE c.quota = 'arrivingBytes' AND c.day < quota_day() - 1;
  GET DIAGNOSTICS v_deleted = ROW_COUNT;
  RETURN v_deleted;
END $$;
