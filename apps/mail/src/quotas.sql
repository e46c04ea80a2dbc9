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
