-- The contacts with an address (in lower case) among the next p_scanned of a workspace, in the order of their ids. The
-- last row has no id, and the last contact that was looked at; null where that was the last of all.
CREATE OR REPLACE FUNCTION person_contacts(p_tenant text, p_email text, p_after text, p_scanned integer)
RETURNS TABLE (id text, book_id text, scanned text) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    WITH looked_at AS MATERIALIZED (
      SELECT c.id, c.book_id, c.emails FROM contacts c
      WHERE c.tenant_id = p_tenant AND c.id > p_after ORDER BY c.id LIMIT p_scanned
    )
    SELECT l.id, l.book_id, NULL::text FROM looked_at l
    WHERE EXISTS (SELECT FROM json_array_elements(l.emails) e WHERE lower(e->>'value') = p_email)
    UNION ALL
    SELECT NULL, NULL, CASE WHEN count(*) = p_scanned THEN max(l.id) END FROM looked_at l;
END $$;
