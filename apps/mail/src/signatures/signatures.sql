-- The signatures for any mailbox, and for those within reach: of these addresses (a key), those shared
-- with this member, or, with neither, all.
CREATE OR REPLACE FUNCTION signatures_within(p_tenant text, p_addresses text[], p_member text)
RETURNS TABLE (signature signatures, mailbox text) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT s, m.address FROM signatures s
    LEFT JOIN mailboxes m ON m.tenant_id = s.tenant_id AND m.id = s.mailbox_id
    WHERE s.tenant_id = p_tenant AND (
      m.id IS NULL
      OR (p_addresses IS NULL OR m.address = ANY (p_addresses))
      AND (p_member IS NULL OR m.access ?| ARRAY['workspace', p_member]))
    ORDER BY lower(s.name), s.id;
END $$;
