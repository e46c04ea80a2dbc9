-- The use of a quota by a workspace; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION quota_used(p_tenant text, p_quota text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN CASE p_quota
    WHEN 'keys' THEN
      (SELECT count(*) FROM keys k WHERE k.tenant_id = p_tenant AND k.revoked_at IS NULL
         AND (k.client IS NULL OR k.expires_at IS NULL OR k.expires_at > now()))
    WHEN 'members' THEN (SELECT count(*) FROM members m WHERE m.tenant_id = p_tenant)
    ELSE counted_of_quota(p_tenant, p_quota)
  END;
END $$;

-- Bytes of an approval, which is kept for 90 days after its end: what the key asked for counts for its day, too.
CREATE OR REPLACE FUNCTION count_approval() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  v_bytes bigint := CASE TG_OP WHEN 'DELETE' THEN 0 ELSE approval_bytes(NEW) END
    - CASE TG_OP WHEN 'INSERT' THEN 0 ELSE approval_bytes(OLD) END;
BEGIN
  PERFORM add_to_quota(coalesce(NEW.tenant_id, OLD.tenant_id), 'storedBytes', v_bytes);
  IF TG_OP <> 'DELETE' THEN
    PERFORM add_to_quota(NEW.tenant_id, 'recordedBytes ' || NEW.key_id, v_bytes, quota_day());
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION approval_bytes(p approvals) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT octet_length(p.payload) + octet_length(p.difference) + octet_length(p.summary)
    + coalesce(octet_length(p.result_body), 0) + coalesce(octet_length(p.result_headers), 0)
    + coalesce(octet_length(p.result_problem), 0) + coalesce(octet_length(p.comment), 0)
$$;

CREATE OR REPLACE TRIGGER count_approval AFTER INSERT OR DELETE OR UPDATE OF result_body, result_problem, comment
  ON approvals FOR EACH ROW EXECUTE FUNCTION count_approval();

-- The bytes recorded for a key, and for its workspace, today and in all.
CREATE OR REPLACE FUNCTION recorded_of(p_tenant text, p_owner text)
RETURNS TABLE (day float8, stored float8) LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT counted_of_quota(p_tenant, 'recordedBytes ' || p_owner, quota_day())::float8,
    counted_of_quota(p_tenant, 'storedBytes')::float8;
END $$;

-- Entries of the audit are added, and stay: a batch of the sealer at a time.
CREATE OR REPLACE FUNCTION count_audit() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM add_to_quota(a.tenant_id, 'storedBytes', sum(octet_length(a.action) + octet_length(a.hash)
    + coalesce(octet_length(a.actor_id), 0) + coalesce(octet_length(a.subject_id), 0)
    + coalesce(octet_length(a.request_id), 0))::bigint) FROM added a GROUP BY a.tenant_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_audit AFTER INSERT ON audit_entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_audit();
