CREATE OR REPLACE FUNCTION find_conversation(p_tenant text, p_mailbox text, p_id text)
RETURNS SETOF conversations LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c.* FROM conversations c
    JOIN mailboxes m ON m.tenant_id = c.tenant_id AND m.id = c.mailbox_id
    WHERE c.tenant_id = p_tenant AND c.id = p_id AND m.address = p_mailbox;
END $$;

CREATE OR REPLACE FUNCTION conversation_messages(p_tenant text, p_conversation text)
RETURNS SETOF messages LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT m.* FROM messages m
    WHERE m.tenant_id = p_tenant AND m.conversation_id = p_conversation
    ORDER BY m.received_at, m.id;
END $$;

CREATE OR REPLACE FUNCTION conversation_attachments(p_tenant text, p_conversation text)
RETURNS SETOF attachments LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT a.* FROM attachments a
    WHERE a.tenant_id = p_tenant AND a.conversation_id = p_conversation
    ORDER BY a.message, a.position;
END $$;

CREATE OR REPLACE FUNCTION conversation_comments(p_tenant text, p_conversation text)
RETURNS SETOF comments LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c.* FROM comments c
    WHERE c.tenant_id = p_tenant AND c.conversation_id = p_conversation
    ORDER BY c.created_at, c.id;
END $$;

CREATE OR REPLACE FUNCTION snoozed_until(
  p_tenant text, p_member text, p_conversation text, p_now timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (
    SELECT s.until FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
      AND s.conversation_id = p_conversation AND s.until > p_now);
END $$;
