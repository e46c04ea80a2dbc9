-- The first conversations that came to trash or spam p_days ago or more and have received nothing since.
CREATE OR REPLACE FUNCTION take_trashed(p_days integer) RETURNS TABLE (tenant_id text, id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT c.tenant_id, c.id FROM conversations c
  WHERE c.trashed_at < now() - make_interval(days => p_days)
    AND c.last_message_at < now() - make_interval(days => p_days)
  ORDER BY c.trashed_at LIMIT 20
$$;

-- Empties trash and spam: deletes a batch of what is in conversations whose time is over, at last these; as their
-- tenant. Answers 1000, for another round at once, until nothing is left.
CREATE OR REPLACE FUNCTION purge_trash(p_days integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_tenant text;
  v_ids text[];
  v_messages text[];
  v_comments bigint;
BEGIN
  SELECT t.tenant_id, array_agg(t.id) INTO v_tenant, v_ids FROM take_trashed(p_days) t
    GROUP BY 1 ORDER BY 1 LIMIT 1;
  IF NOT FOUND THEN RETURN 0; END IF;
  PERFORM set_config('postroom.tenant', v_tenant, true);
  -- A send whose outcome is unknown needs its conversation, and so does a draft that is to be sent: such a one has
  -- its days again.
  UPDATE conversations c SET trashed_at = now()
    WHERE c.tenant_id = v_tenant AND c.id = ANY (v_ids) AND c.trashed_at IS NOT NULL
      AND (EXISTS (SELECT FROM drafts d WHERE d.tenant_id = v_tenant AND d.conversation_id = c.id
          AND d.send_state IN ('waiting', 'sending'))
        OR EXISTS (SELECT FROM send_reservations s WHERE s.tenant_id = v_tenant
          AND s.state IN ('transmitting', 'unknown') AND s.outgoing ->> 'conversationId' = c.id));
  -- Looked at again under its lock: a member may have taken it out meanwhile.
  v_ids := ARRAY(SELECT c.id FROM conversations c
    WHERE c.tenant_id = v_tenant AND c.id = ANY (v_ids)
      AND c.trashed_at < now() - make_interval(days => p_days)
    ORDER BY c.id FOR UPDATE SKIP LOCKED);
  IF v_ids = '{}' THEN RETURN 0; END IF;

  DELETE FROM drafts d WHERE d.tenant_id = v_tenant AND d.conversation_id = ANY (v_ids);
  v_messages := ARRAY(SELECT m.id FROM messages m
    WHERE m.tenant_id = v_tenant AND m.conversation_id = ANY (v_ids) LIMIT 500);
  IF v_messages <> '{}' THEN
    DELETE FROM drafts d WHERE d.tenant_id = v_tenant AND d.in_reply_to = ANY (v_messages);
    DELETE FROM attachments a WHERE a.tenant_id = v_tenant AND a.message = ANY (v_messages);
    DELETE FROM raw_messages r WHERE r.tenant_id = v_tenant AND r.message = ANY (v_messages);
    DELETE FROM messages m WHERE m.tenant_id = v_tenant AND m.id = ANY (v_messages);
    RETURN 1000;
  END IF;

  DELETE FROM comments k WHERE k.tenant_id = v_tenant AND k.conversation_id = ANY (v_ids);
  GET DIAGNOSTICS v_comments = ROW_COUNT;
  PERFORM add_to_quota(v_tenant, 'comments', -v_comments) WHERE v_comments > 0;
  DELETE FROM snoozes s WHERE s.tenant_id = v_tenant AND s.conversation_id = ANY (v_ids);
  DELETE FROM conversation_labels l WHERE l.tenant_id = v_tenant AND l.conversation_id = ANY (v_ids);
  DELETE FROM thread_ids t WHERE t.tenant_id = v_tenant AND t.conversation_id = ANY (v_ids);
  DELETE FROM conversations c WHERE c.tenant_id = v_tenant AND c.id = ANY (v_ids);
  RETURN 1000;
END $$;
