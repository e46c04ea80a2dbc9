-- The rules of a workspace, first made first; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION dlp_rules_of(p_tenant text) RETURNS SETOF dlp_rules
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT r.* FROM dlp_rules r WHERE r.tenant_id = p_tenant ORDER BY r.id;
END $$;

-- Lets a token that overrides a warning be used again: the send that took it did not leave (docs/adr/0026).
CREATE OR REPLACE FUNCTION release_warning(p_tenant text, p_reservation text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  UPDATE dlp_warnings w SET taken_by = NULL
    WHERE w.tenant_id = p_tenant AND w.taken_by = p_reservation;
END $$;

CREATE OR REPLACE FUNCTION purge_dlp_warnings() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH deleted AS (
    DELETE FROM dlp_warnings w WHERE w.ctid = ANY (ARRAY(
      SELECT o.ctid FROM dlp_warnings o WHERE o.expires_at < now() LIMIT 1000)) RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
