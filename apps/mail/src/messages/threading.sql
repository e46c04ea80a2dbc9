-- Finds the conversation of an arriving message, or begins one, and says if the message is here already.
-- The unique index is the lock: ids are claimed in one order, so that concurrent deliveries of one thread
-- wait for each other, never in a circle, and then see whose claim won.
CREATE OR REPLACE FUNCTION place_message(
  p_tenant text, p_mailbox text, p_message_id text, p_fingerprint text, p_ancestors text[],
  p_candidate text, p_subject text, p_at timestamptz)
RETURNS TABLE (duplicate boolean, conversation_id text)
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[] := array_remove(p_ancestors || p_message_id, NULL);
  v_found text;
BEGIN
  INSERT INTO thread_ids AS t (tenant_id, mailbox_id, message_id, conversation_id)
    SELECT DISTINCT p_tenant, p_mailbox, claimed.id COLLATE "C" AS id, p_candidate
    FROM unnest(v_ids) AS claimed (id) ORDER BY id
    ON CONFLICT DO NOTHING;
  IF EXISTS (
    SELECT FROM messages m
    WHERE m.tenant_id = p_tenant AND m.mailbox_id = p_mailbox AND m.message_id = p_message_id
      AND m.content_fingerprint = p_fingerprint AND m.direction = 'inbound') THEN
    RETURN QUERY SELECT true, NULL::text;
    RETURN;
  END IF;
  SELECT t.conversation_id INTO v_found
    FROM unnest(v_ids) WITH ORDINALITY AS wanted (id, priority)
    JOIN thread_ids t ON t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox
      AND t.message_id = wanted.id
    WHERE t.conversation_id <> p_candidate
    ORDER BY wanted.priority LIMIT 1;
  IF v_found IS NULL THEN
    INSERT INTO conversations
        (tenant_id, id, mailbox_id, subject, last_message_at, created_at, updated_at)
      VALUES (p_tenant, p_candidate, p_mailbox, p_subject, p_at, p_at, p_at);
  ELSE
    -- A message's own id moves to where the message goes if an answer claimed it before, and stays if a
    -- message has it: a second message under a taken id would otherwise draw the thread away.
    UPDATE thread_ids t SET conversation_id = v_found
      WHERE t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox
        AND t.message_id = ANY (v_ids) AND t.conversation_id <> v_found
        AND (t.conversation_id = p_candidate OR t.message_id = p_message_id AND NOT EXISTS (
          SELECT FROM messages m WHERE m.tenant_id = p_tenant
            AND m.conversation_id = t.conversation_id AND m.message_id = p_message_id));
  END IF;
  RETURN QUERY SELECT false, coalesce(v_found, p_candidate);
END $$;
