-- The books of a workspace after one of them, in the order of their ids, with who may read them.
CREATE OR REPLACE FUNCTION readable_books_after(p_tenant text, p_after text, p_limit integer)
RETURNS TABLE (id text, is_shared boolean, member_ids text[], sequence bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT b.id, b.is_shared, ARRAY(
      SELECT m.member_id FROM address_book_members m
      WHERE m.tenant_id = b.tenant_id AND m.book_id = b.id ORDER BY m.member_id), b.sequence
    FROM address_books b
    WHERE b.tenant_id = p_tenant AND b.id > p_after AND b.deleted_at IS NULL
    ORDER BY b.id LIMIT p_limit;
END $$;

-- The contacts of a workspace after one of them, in the order of their ids.
CREATE OR REPLACE FUNCTION contacts_after(p_tenant text, p_after text, p_limit integer)
RETURNS SETOF contacts LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c.* FROM contacts c
    WHERE c.tenant_id = p_tenant AND c.id > p_after AND EXISTS (
      SELECT FROM address_books b
      WHERE b.tenant_id = p_tenant AND b.id = c.book_id AND b.deleted_at IS NULL)
    ORDER BY c.id LIMIT p_limit;
END $$;
