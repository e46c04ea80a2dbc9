-- The photo of a contact, by its SHA-256; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION read_photo(p_tenant text, p_sha256 text) RETURNS TABLE (bytes bytea)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT p.bytes FROM contact_photos p WHERE p.tenant_id = p_tenant AND p.sha256 = p_sha256;
END $$;

-- Deletes photos that no contact has, of every tenant, a batch at a time.
CREATE OR REPLACE FUNCTION purge_photos() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH gone AS (
    DELETE FROM contact_photos p WHERE (p.tenant_id, p.sha256) IN (
      SELECT o.tenant_id, o.sha256 FROM contact_photos o
      WHERE o.given_at < now() - interval '1 hour'
        AND NOT EXISTS (SELECT FROM contacts c WHERE c.tenant_id = o.tenant_id AND c.photo = o.sha256)
        AND NOT EXISTS (SELECT FROM merged_contacts m
          WHERE m.tenant_id = o.tenant_id AND m.record->>'photo' = o.sha256)
      LIMIT 1000 FOR UPDATE SKIP LOCKED) RETURNING 1
  ) SELECT count(*) FROM gone
$$;
