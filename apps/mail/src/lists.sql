-- Mailboxes by address, at most p_limit: those of the given addresses, or, with a member, those that are shared with
-- the workspace or with that member.
CREATE OR REPLACE FUNCTION readable_mailboxes(
  p_tenant text, p_member text, p_addresses text[], p_limit integer)
RETURNS TABLE (id text, address text, name text) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT m.id, m.address, m.name FROM mailboxes m
    WHERE m.tenant_id = p_tenant AND CASE WHEN p_member IS NULL THEN m.address = ANY (p_addresses)
      ELSE m.access = '"workspace"'::jsonb OR m.access ? p_member END
    ORDER BY m.address LIMIT p_limit;
END $$;

-- The labels of a mailbox by name, at most p_limit, and the conversations of each.
CREATE OR REPLACE FUNCTION mailbox_labels(p_tenant text, p_mailbox text, p_limit integer)
RETURNS TABLE (label text, conversations float8) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT l.name, (SELECT count(*)::float8 FROM conversation_labels c
      WHERE c.tenant_id = p_tenant AND c.mailbox_id = m.id AND c.label = l.name)
    FROM mailboxes m JOIN labels l ON l.tenant_id = p_tenant AND l.mailbox_id = m.id
    WHERE m.tenant_id = p_tenant AND m.address = p_mailbox
    ORDER BY l.name LIMIT p_limit;
END $$;
