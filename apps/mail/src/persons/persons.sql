-- True if a list of correspondents names one of the addresses, all in lower case.
CREATE OR REPLACE FUNCTION names_person(p_list jsonb, p_emails text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT EXISTS (
    SELECT FROM jsonb_array_elements(p_list) e WHERE lower(e->>'email') = ANY (p_emails))
$$;

-- The list with what stands for an erased correspondent.
CREATE OR REPLACE FUNCTION without_person(p_list jsonb, p_emails text[], p_erased jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_agg(
    CASE WHEN lower(e->>'email') = ANY (p_emails) THEN p_erased ELSE e END ORDER BY n), '[]')
  FROM jsonb_array_elements(p_list) WITH ORDINALITY AS list (e, n)
$$;

-- The messages from or to a person among the next p_scanned of a workspace, in the order of their ids, p_found at
-- most. The last row has no id, and the last message that was looked at; null where that was the last of all.
CREATE OR REPLACE FUNCTION person_messages(
  p_tenant text, p_emails text[], p_after text, p_scanned integer, p_found integer)
RETURNS TABLE (id text, conversation_id text, is_author boolean, size_bytes integer, scanned text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    WITH looked_at AS MATERIALIZED (
      SELECT m.id, m.conversation_id, m.size_bytes,
        m.direction = 'inbound' AND (lower(m.sender->>'email') = ANY (p_emails)
          OR names_person(m.reply_to, p_emails)) AS is_author,
        lower(m.sender->>'email') = ANY (p_emails)
          OR lower(m.bounced->>'recipient') = ANY (p_emails)
          OR names_person(m.recipients || m.cc || m.bcc || m.reply_to, p_emails) AS is_named
      FROM messages m WHERE m.tenant_id = p_tenant AND m.id > p_after ORDER BY m.id LIMIT p_scanned
    )
    (SELECT l.id, l.conversation_id, coalesce(l.is_author, false), l.size_bytes, NULL::text
     FROM looked_at l WHERE l.is_author OR l.is_named ORDER BY l.id LIMIT p_found)
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, CASE WHEN count(*) = p_scanned THEN max(l.id) END FROM looked_at l;
END $$;

-- True if an address belongs to a mailbox of the workspace.
CREATE OR REPLACE FUNCTION is_own_address(p_tenant text, p_routing_address text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN EXISTS (SELECT FROM mailboxes m
    WHERE m.tenant_id = p_tenant AND m.routing_address = p_routing_address);
END $$;

-- Empties messages of a person: nothing of them stays but that they were there.
CREATE OR REPLACE FUNCTION empty_messages(p_tenant text, p_ids text[]) RETURNS void
LANGUAGE sql AS $$
  DELETE FROM attachments a WHERE a.tenant_id = p_tenant AND a.message = ANY (p_ids);
  DELETE FROM raw_messages r WHERE r.tenant_id = p_tenant AND r.message = ANY (p_ids);
  UPDATE messages m SET subject = '', preview = '', text = NULL, html = NULL, extracted_text = NULL,
    has_remote_content = false, size_bytes = 0, invitation = NULL
    WHERE m.tenant_id = p_tenant AND m.id = ANY (p_ids);
$$;

-- Puts what stands for an erased correspondent into messages, and into their conversations, which show no text of
-- an emptied message any more.
CREATE OR REPLACE FUNCTION mask_person(
  p_tenant text, p_emails text[], p_erased jsonb, p_ids text[], p_emptied text[], p_conversations text[],
  p_at timestamptz)
RETURNS void LANGUAGE sql AS $$
  UPDATE messages m SET
    sender = CASE WHEN lower(m.sender->>'email') = ANY (p_emails) THEN p_erased ELSE m.sender END,
    recipients = without_person(m.recipients, p_emails, p_erased),
    cc = without_person(m.cc, p_emails, p_erased),
    bcc = without_person(m.bcc, p_emails, p_erased),
    reply_to = without_person(m.reply_to, p_emails, p_erased),
    bounced = CASE WHEN lower(m.bounced->>'recipient') = ANY (p_emails)
      THEN m.bounced || jsonb_build_object('recipient', p_erased->'email', 'text', NULL) ELSE m.bounced END
    WHERE m.tenant_id = p_tenant AND m.id = ANY (p_ids);
  UPDATE conversations c SET
    sender = CASE WHEN lower(c.sender->>'email') = ANY (p_emails) THEN p_erased ELSE c.sender END,
    participants = without_person(c.participants, p_emails, p_erased),
    preview = coalesce((SELECT m.preview FROM messages m
      WHERE m.tenant_id = p_tenant AND m.id = c.last_message_id), c.preview),
    subject = CASE WHEN (SELECT m.id FROM messages m WHERE m.tenant_id = p_tenant AND m.conversation_id = c.id
      ORDER BY m.received_at, m.id LIMIT 1) = ANY (p_emptied) THEN '' ELSE c.subject END,
    has_attachments = EXISTS (SELECT FROM attachments a
      WHERE a.tenant_id = p_tenant AND a.conversation_id = c.id AND NOT a.inline),
    updated_at = greatest(c.updated_at, p_at), version = c.version + 1
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_conversations);
$$;
