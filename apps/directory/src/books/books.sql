-- Books that a member may use, and whether to write; an administrator may use all.
CREATE OR REPLACE FUNCTION books_of(p_tenant text, p_member text, p_is_admin boolean)
RETURNS TABLE (book_id text, salt integer, contact_count integer, can_write boolean)
LANGUAGE sql STABLE AS $$
  SELECT b.id, b.salt, b.contact_count, p_is_admin OR b.is_shared OR coalesce(m.can_write, false)
  FROM address_books b
  LEFT JOIN address_book_members m
    ON m.tenant_id = b.tenant_id AND m.book_id = b.id AND m.member_id = p_member
  WHERE b.tenant_id = p_tenant AND b.deleted_at IS NULL
    AND (p_is_admin OR b.is_shared OR m.member_id IS NOT NULL)
$$;

-- Locks a book for a change of its contacts, which take turns: none waits for another while it holds a
-- contact, whatever their order, and none finds a contact that another is about to write. The turn may take
-- most of the 10 seconds of an operation: a step of an import stores a hundred contacts.
CREATE OR REPLACE FUNCTION lock_book(p_tenant text, p_member text, p_is_admin boolean, p_book text)
RETURNS TABLE (salt integer, can_read boolean, can_write boolean) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('lock_timeout', '8s', true);
  PERFORM FROM address_books b
  WHERE b.tenant_id = p_tenant AND b.id = p_book AND b.deleted_at IS NULL
  FOR NO KEY UPDATE;
  -- In a statement of its own, which sees what was committed while this one waited.
  RETURN QUERY
    SELECT b.salt, u.book_id IS NOT NULL, coalesce(u.can_write, false)
    FROM address_books b
    LEFT JOIN books_of(p_tenant, p_member, p_is_admin) u ON u.book_id = b.id
    WHERE b.tenant_id = p_tenant AND b.id = p_book AND b.deleted_at IS NULL;
END $$;

-- The rights of a member on a book; no row for an unknown book.
CREATE OR REPLACE FUNCTION book_access(
  p_tenant text, p_member text, p_is_admin boolean, p_book text)
RETURNS TABLE (can_read boolean, can_write boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT u.book_id IS NOT NULL, coalesce(u.can_write, false)
    FROM address_books b
    LEFT JOIN books_of(p_tenant, p_member, p_is_admin) u ON u.book_id = b.id
    WHERE b.tenant_id = p_tenant AND b.id = p_book AND b.deleted_at IS NULL;
END $$;

-- The members who may use a book, as the API shows them; the word "workspace" for one that is shared.
CREATE OR REPLACE FUNCTION book_members(p_book address_books) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN p_book.is_shared THEN to_json('workspace'::text) ELSE coalesce(
    (SELECT json_agg(json_build_object(
        'member', m.member_id, 'access', CASE WHEN m.can_write THEN 'write' ELSE 'read' END)
      ORDER BY m.member_id)
    FROM address_book_members m
    WHERE m.tenant_id = p_book.tenant_id AND m.book_id = p_book.id), '[]') END
$$;

-- The books of a workspace, by name.
CREATE OR REPLACE FUNCTION list_books(p_tenant text) RETURNS SETOF address_books
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT * FROM address_books b WHERE b.tenant_id = p_tenant AND b.deleted_at IS NULL
    ORDER BY b.name COLLATE "fr-x-icu", b.id;
END $$;

-- The books that a member may use, by name, at most p_limit.
CREATE OR REPLACE FUNCTION usable_books(p_tenant text, p_member text, p_is_admin boolean, p_limit integer)
RETURNS TABLE (id text, name text, access text) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT b.id, b.name, CASE WHEN u.can_write THEN 'write' ELSE 'read' END
    FROM books_of(p_tenant, p_member, p_is_admin) u
    JOIN address_books b ON b.tenant_id = p_tenant AND b.id = u.book_id
    ORDER BY b.name COLLATE "fr-x-icu", b.id LIMIT p_limit;
END $$;

-- Books that were deleted with contacts that are still to be deleted, of every workspace; and those without any
-- (deleted_by is null) once no event of their contacts is kept any more (WEBHOOK_EVENT_DAYS, 14 at most).
CREATE OR REPLACE FUNCTION deleted_books() RETURNS TABLE (tenant_id text, id text, deleted_by json)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  (SELECT b.tenant_id, b.id, b.deleted_by FROM address_books b
   WHERE b.deleted_by IS NOT NULL ORDER BY b.deleted_at LIMIT 100)
  UNION ALL
  (SELECT b.tenant_id, b.id, b.deleted_by FROM address_books b
   WHERE b.deleted_at < now() - interval '15 days' AND b.deleted_by IS NULL
   ORDER BY b.deleted_at LIMIT 100)
$$;

-- The given books that a member may read, or could when they were deleted: the feed still has their events.
CREATE OR REPLACE FUNCTION visible_books(
  p_tenant text, p_member text, p_is_admin boolean, p_books text[])
RETURNS TABLE (book_id text) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT b.id FROM address_books b
    LEFT JOIN address_book_members m
      ON m.tenant_id = b.tenant_id AND m.book_id = b.id AND m.member_id = p_member
    WHERE b.tenant_id = p_tenant AND b.id = ANY (p_books)
      AND (p_is_admin OR b.is_shared OR m.member_id IS NOT NULL);
END $$;

-- Publishes to the other services, by an internal event, who may read a book now.
CREATE OR REPLACE FUNCTION announce_book(
  p_tenant text, p_book text, p_event text, p_at timestamptz) RETURNS void LANGUAGE sql AS $$
  INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
  SELECT p_tenant, p_event, 'book.changed', b.id, b.sequence, json_build_object(
    'occurredAt', p_at, 'book', json_build_object(
      'id', b.id, 'isShared', b.is_shared, 'isDeleted', b.deleted_at IS NOT NULL,
      'sequence', b.sequence,
      'memberIds', (SELECT coalesce(json_agg(m.member_id), '[]') FROM address_book_members m
        WHERE m.tenant_id = b.tenant_id AND m.book_id = b.id)))::text
  FROM address_books b WHERE b.tenant_id = p_tenant AND b.id = p_book
$$;

-- The use of a quota by a workspace, of contacts as its books and the trigger of merges count them; also outside a
-- transaction that has set the tenant.
CREATE OR REPLACE FUNCTION quota_used(p_tenant text, p_quota text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN counted_of_quota(p_tenant, p_quota) + CASE p_quota WHEN 'contacts' THEN
    (SELECT coalesce(sum(b.contact_count), 0) FROM address_books b WHERE b.tenant_id = p_tenant) ELSE 0 END;
END $$;

CREATE OR REPLACE FUNCTION count_merged() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN PERFORM add_to_quota(NEW.tenant_id, 'contacts', 1);
  ELSE PERFORM add_to_quota(OLD.tenant_id, 'contacts', -1);
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_merged AFTER INSERT OR DELETE ON merged_contacts
  FOR EACH ROW EXECUTE FUNCTION count_merged();
