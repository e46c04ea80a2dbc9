-- A call that waits while a migration adds a column still expects rows as they were when it began: those of 0.1.0,
-- here. docs/architecture.md, "How it changes".

CREATE OR REPLACE FUNCTION conversation_messages(p_tenant text, p_conversation text)
RETURNS SETOF messages LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT m.* FROM messages m
    WHERE m.tenant_id = p_tenant AND m.conversation_id = p_conversation
    ORDER BY m.received_at, m.id;
EXCEPTION WHEN datatype_mismatch THEN
  RETURN QUERY
    SELECT m.tenant_id, m.id, m.mailbox_id, m.conversation_id, m.direction, m.sender, m.recipients, m.cc,
      m.bcc, m.reply_to, m.subject, m.preview, m.text, m.html, m.extracted_text, m.has_remote_content,
      m.sent_at, m.received_at, m.message_id, m.in_reply_to, m.reference_ids, m.is_auto_reply,
      m.bounce, m.auth, m.priority, m.size_bytes, m.provider_message_id, m.receipt_source,
      m.created_by, m.content_fingerprint, m.parsed, m.kept_by, m.trust
    FROM messages m
    WHERE m.tenant_id = p_tenant AND m.conversation_id = p_conversation
    ORDER BY m.received_at, m.id;
END $$;
