-- Stores a contact as an event (p_sequence) left it, or marks it as gone: a merge has ended it or a rebuild has
-- not found it (p_sequence null). Events of one contact come in order, those of two do not: an event from before
-- a merge may arrive after it, and is recognised by its time.
CREATE OR REPLACE FUNCTION learn_contact(
  p_tenant text, p_id text, p_book text, p_name text, p_addresses text[], p_sequence bigint,
  p_at timestamptz, p_is_gone boolean)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_learnt boolean;
BEGIN
  INSERT INTO known_contacts AS k
    (tenant_id, id, book_id, name, addresses, sequence, as_of, is_gone)
  VALUES (p_tenant, p_id, p_book, p_name, p_addresses, coalesce(p_sequence, 0), p_at, p_is_gone)
  ON CONFLICT (tenant_id, id) DO UPDATE SET book_id = p_book, name = p_name, addresses = p_addresses,
    sequence = coalesce(p_sequence, k.sequence), as_of = p_at, is_gone = p_is_gone
    WHERE p_sequence IS NULL AND k.as_of <= p_at
      OR p_sequence >= k.sequence AND (NOT k.is_gone OR k.as_of < p_at)
  RETURNING true INTO v_learnt;
  IF v_learnt THEN
    DELETE FROM known_addresses a WHERE a.tenant_id = p_tenant AND a.contact_id = p_id;
    INSERT INTO known_addresses (tenant_id, address, contact_id)
    SELECT DISTINCT p_tenant, address, p_id FROM unnest(p_addresses) AS address;
  END IF;
END $$;

-- The contacts that some addresses belong to, of the books that a member may read; the oldest of several.
CREATE OR REPLACE FUNCTION contacts_of(
  p_tenant text, p_member text, p_is_admin boolean, p_addresses text[])
RETURNS TABLE (address text, id text, name text) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT DISTINCT ON (a.address) a.address, c.id, c.name
    FROM known_addresses a
    JOIN known_contacts c ON c.tenant_id = a.tenant_id AND c.id = a.contact_id
    JOIN known_books b ON b.tenant_id = c.tenant_id AND b.id = c.book_id
    WHERE a.tenant_id = p_tenant AND a.address = ANY (p_addresses) AND NOT b.is_deleted
      AND (p_is_admin OR b.is_shared OR p_member = ANY (b.member_ids))
    ORDER BY a.address, c.id;
END $$;

-- The sender of a received message of a mailbox that is shared with a member; no row for any other message.
CREATE OR REPLACE FUNCTION find_sender(p_tenant text, p_member text, p_message text)
RETURNS TABLE (sender jsonb) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT m.sender FROM messages m
    JOIN mailboxes b ON b.tenant_id = m.tenant_id AND b.id = m.mailbox_id
    WHERE m.tenant_id = p_tenant AND m.id = p_message AND m.direction = 'inbound'
      AND b.address IN (SELECT visible_mailboxes(p_tenant, p_member, ARRAY[b.address]));
END $$;
