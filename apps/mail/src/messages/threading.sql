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
  -- LIMIT keeps it a look-up by id: else all ids of a mailbox are read where most mailboxes have few.
  SELECT t.conversation_id INTO v_found
    FROM unnest(v_ids) WITH ORDINALITY AS wanted (id, priority)
    CROSS JOIN LATERAL (
      SELECT s.conversation_id FROM thread_ids s
      WHERE s.tenant_id = p_tenant AND s.mailbox_id = p_mailbox AND s.message_id = wanted.id LIMIT 1
    ) t
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

-- The messages of a batch that the mailbox has already, each with what is here of it: a copy that was received or imported,
-- or what was sent under its Message-ID, or may have been, of one that the mailbox itself has written.
CREATE OR REPLACE FUNCTION messages_here(p_tenant text, p_mailbox text, p_messages jsonb)
RETURNS TABLE (n integer, here text, conversation_id text) LANGUAGE sql STABLE AS $$
  SELECT m.n, found.id, found.conversation_id
  FROM jsonb_to_recordset(p_messages)
    AS m (n integer, "messageId" text, fingerprint text, "isOwn" boolean)
  CROSS JOIN LATERAL (
    SELECT h.id, h.conversation_id FROM messages h
    WHERE h.tenant_id = p_tenant AND h.mailbox_id = p_mailbox AND h.message_id = m."messageId"
      AND h.content_fingerprint = m.fingerprint AND h.direction = 'inbound'
    UNION ALL
    SELECT h.id, h.conversation_id FROM messages h
    WHERE m."messageId" IS NULL AND h.tenant_id = p_tenant AND h.mailbox_id = p_mailbox
      AND h.message_id IS NULL AND h.content_fingerprint = m.fingerprint
    UNION ALL
    SELECT h.id, h.conversation_id FROM thread_ids t
    JOIN messages h ON h.tenant_id = p_tenant AND h.conversation_id = t.conversation_id
    WHERE m."isOwn" AND t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox
      AND t.message_id = m."messageId" AND h.direction = 'outbound'
      AND m."messageId" IN (h.message_id, h.provider_message_id)
    UNION ALL
    SELECT r.message, r.outgoing->>'conversationId' FROM send_reservations r
    WHERE m."isOwn" AND r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox
      AND r.message_id = m."messageId" AND r.state IN ('transmitting', 'unknown')
    LIMIT 1
  ) found
$$;

-- Places messages of a batch in their order, but for those that are here. All ids are claimed first, in one order, as
-- place_message claims those of one. What came to be here until then is refused as the unique index refuses it.
CREATE OR REPLACE FUNCTION place_messages(
  p_tenant text, p_mailbox text, p_messages jsonb, p_at timestamptz)
RETURNS TABLE (n integer, here text, conversation_id text) LANGUAGE plpgsql AS $$
DECLARE
  v_here integer[] := '{}';
  v_new jsonb;
  v record;
  v_placed record;
BEGIN
  FOR v IN SELECT h.* FROM messages_here(p_tenant, p_mailbox, p_messages) h LOOP
    v_here := v_here || v.n;
    RETURN QUERY SELECT v.n, v.here, v.conversation_id;
  END LOOP;
  SELECT coalesce(jsonb_agg(m ORDER BY (m->'n')::integer), '[]') INTO v_new
    FROM jsonb_array_elements(p_messages) m WHERE (m->'n')::integer <> ALL (v_here);
  INSERT INTO thread_ids (tenant_id, mailbox_id, message_id, conversation_id)
    SELECT DISTINCT ON (claimed.id COLLATE "C") p_tenant, p_mailbox, claimed.id, m.candidate
    FROM jsonb_to_recordset(v_new)
      AS m (n integer, candidate text, "messageId" text, ancestors text[])
    CROSS JOIN unnest(array_remove(m.ancestors || m."messageId", NULL)) AS claimed (id)
    ORDER BY claimed.id COLLATE "C", m.n
    ON CONFLICT DO NOTHING;
  IF EXISTS (SELECT FROM messages_here(p_tenant, p_mailbox, v_new)) THEN
    RAISE unique_violation USING CONSTRAINT = 'messages_content';
  END IF;
  FOR v IN
    SELECT * FROM jsonb_to_recordset(v_new) AS m (n integer, candidate text, "messageId" text,
      fingerprint text, ancestors text[], subject text) ORDER BY m.n
  LOOP
    SELECT * INTO v_placed FROM place_message(p_tenant, p_mailbox,
      v."messageId", v.fingerprint, v.ancestors, v.candidate, v.subject, p_at);
    IF v_placed.duplicate THEN
      RAISE unique_violation USING CONSTRAINT = 'messages_content';
    END IF;
    RETURN QUERY SELECT v.n, NULL::text, v_placed.conversation_id;
  END LOOP;
END $$;
