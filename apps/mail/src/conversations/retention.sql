-- Deletes conversations of a mailbox, with all that is in them.
CREATE OR REPLACE FUNCTION delete_conversations(p_tenant text, p_mailbox text, p_ids text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_messages text[] := ARRAY(SELECT m.id FROM messages m
    WHERE m.tenant_id = p_tenant AND m.conversation_id = ANY (p_ids));
  v_comments bigint;
BEGIN
  DELETE FROM drafts d WHERE d.tenant_id = p_tenant AND d.mailbox_id = p_mailbox
    AND (d.conversation_id = ANY (p_ids) OR d.in_reply_to = ANY (v_messages));
  -- Also what they refer to: a message that names it begins a new conversation.
  DELETE FROM thread_ids t USING (
    SELECT DISTINCT named FROM messages m CROSS JOIN LATERAL
      unnest(m.reference_ids || ARRAY[m.message_id, m.in_reply_to, m.provider_message_id]) AS named
    WHERE m.tenant_id = p_tenant AND m.id = ANY (v_messages)) AS n
    WHERE t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox AND t.message_id = n.named
      AND t.conversation_id = ANY (p_ids);
  DELETE FROM attachments a WHERE a.tenant_id = p_tenant AND a.message = ANY (v_messages);
  DELETE FROM raw_messages r WHERE r.tenant_id = p_tenant AND r.message = ANY (v_messages);
  DELETE FROM messages m WHERE m.tenant_id = p_tenant AND m.id = ANY (v_messages);
  DELETE FROM comments k WHERE k.tenant_id = p_tenant AND k.conversation_id = ANY (p_ids);
  GET DIAGNOSTICS v_comments = ROW_COUNT;
  PERFORM add_to_quota(p_tenant, 'comments', -v_comments) WHERE v_comments > 0;
  DELETE FROM snoozes s WHERE s.tenant_id = p_tenant AND s.conversation_id = ANY (p_ids);
  DELETE FROM conversation_labels l WHERE l.tenant_id = p_tenant AND l.conversation_id = ANY (p_ids);
  DELETE FROM conversations c WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids);
END $$;

-- Conversations that are older than their mailbox keeps them, of every workspace: some of each mailbox.
CREATE OR REPLACE FUNCTION old_conversations(p_limit integer)
RETURNS TABLE (tenant_id text, mailbox_id text, ids text[]) LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT b.tenant_id, b.id, old.ids FROM mailboxes b CROSS JOIN LATERAL (
    SELECT array_agg(c.id) AS ids FROM (
      SELECT c.id FROM conversations c
      WHERE c.tenant_id = b.tenant_id AND c.mailbox_id = b.id
        AND c.placement = ANY (ARRAY['inbox', 'archived', 'trash', 'spam'])
        AND c.last_message_at < now() - b.retention_days * interval '1 day'
      LIMIT p_limit) c) old
  WHERE b.retention_days IS NOT NULL AND b.deleted_at IS NULL AND old.ids IS NOT NULL
$$;

-- Deletes those of a mailbox that are still too old once they are locked (a message may just have arrived), and in
-- which no draft is to be sent. Answers how many.
CREATE OR REPLACE FUNCTION delete_old_conversations(p_tenant text, p_mailbox text, p_ids text[]) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[] := ARRAY(
    SELECT c.id FROM conversations c JOIN mailboxes b ON b.tenant_id = p_tenant AND b.id = p_mailbox
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox AND c.id = ANY (p_ids)
      AND c.last_message_at < now() - b.retention_days * interval '1 day'
      AND NOT EXISTS (SELECT FROM drafts d WHERE d.tenant_id = p_tenant AND d.conversation_id = c.id
        AND d.send_state IN ('waiting', 'sending'))
    ORDER BY c.id FOR UPDATE OF c);
BEGIN
  PERFORM delete_conversations(p_tenant, p_mailbox, v_ids);
  RETURN cardinality(v_ids);
END $$;
