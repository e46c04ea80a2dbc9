-- Conversations that a send needs: a draft in them, or that answers in them, is to be sent, or a message may have left.
CREATE OR REPLACE FUNCTION held_conversations(p_tenant text) RETURNS SETOF text LANGUAGE sql STABLE AS $$
  SELECT held.id FROM (
    SELECT unnest(ARRAY[d.conversation_id, m.conversation_id]) AS id FROM drafts d
      LEFT JOIN messages m ON m.tenant_id = p_tenant AND m.id = d.in_reply_to
      WHERE d.tenant_id = p_tenant AND d.send_state IN ('waiting', 'sending')
    UNION ALL
    SELECT s.outgoing ->> 'conversationId' FROM send_reservations s
      WHERE s.tenant_id = p_tenant AND s.state IN ('transmitting', 'unknown')
  ) held WHERE held.id IS NOT NULL
$$;

-- Deletes conversations with all that is in them, those alone that no send needs. The caller has locked them. A commit
-- deletes 500 messages, or those of one conversation less than that: what is left is for the next. Answers the number of
-- conversations that are gone.
CREATE OR REPLACE FUNCTION delete_conversations(p_tenant text, p_ids text[]) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[] := ARRAY(
    SELECT sized.id FROM (
      SELECT c.id, sum(c.message_count) OVER (ORDER BY c.id) AS upto, row_number() OVER (ORDER BY c.id) AS place
      FROM conversations c
      WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids) AND c.id NOT IN (SELECT held_conversations(p_tenant))
    ) sized WHERE sized.upto <= 500 OR sized.place = 1);
  v_messages text[] := ARRAY(SELECT m.id FROM messages m
    WHERE m.tenant_id = p_tenant AND m.conversation_id = ANY (v_ids) LIMIT 500);
  v_comments bigint;
BEGIN
  DELETE FROM drafts d WHERE d.tenant_id = p_tenant
    AND (d.conversation_id = ANY (v_ids) OR d.in_reply_to = ANY (v_messages));
  DELETE FROM attachments a WHERE a.tenant_id = p_tenant AND a.message = ANY (v_messages);
  DELETE FROM raw_messages r WHERE r.tenant_id = p_tenant AND r.message = ANY (v_messages);
  DELETE FROM messages m WHERE m.tenant_id = p_tenant AND m.id = ANY (v_messages);
  v_ids := ARRAY(SELECT gone.id FROM unnest(v_ids) AS gone (id) WHERE NOT EXISTS (
    SELECT FROM messages m WHERE m.tenant_id = p_tenant AND m.conversation_id = gone.id));
  DELETE FROM comments k WHERE k.tenant_id = p_tenant AND k.conversation_id = ANY (v_ids);
  GET DIAGNOSTICS v_comments = ROW_COUNT;
  PERFORM add_to_quota(p_tenant, 'comments', -v_comments) WHERE v_comments > 0;
  DELETE FROM snoozes s WHERE s.tenant_id = p_tenant AND s.conversation_id = ANY (v_ids);
  DELETE FROM conversation_labels l WHERE l.tenant_id = p_tenant AND l.conversation_id = ANY (v_ids);
  DELETE FROM thread_ids t WHERE t.tenant_id = p_tenant AND t.conversation_id = ANY (v_ids);
  DELETE FROM conversations c WHERE c.tenant_id = p_tenant AND c.id = ANY (v_ids);
  RETURN cardinality(v_ids);
END $$;
