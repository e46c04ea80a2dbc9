-- The messages that a sandbox sent before a time and an id, newest first; also outside a transaction that has set the tenant.
CREATE OR REPLACE FUNCTION sandbox_outbox(p_tenant text, p_before timestamptz, p_id text, p_limit integer)
RETURNS TABLE (
  id text, conversation_id text, mailbox text, recipients jsonb, cc jsonb, bcc jsonb, subject text, preview text,
  has_attachments boolean, received_at timestamptz)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT m.id, m.conversation_id, b.address, m.recipients, m.cc, m.bcc, m.subject, m.preview,
      EXISTS (SELECT FROM attachments a WHERE a.tenant_id = p_tenant AND a.message = m.id), m.received_at
    FROM messages m JOIN mailboxes b ON b.tenant_id = p_tenant AND b.id = m.mailbox_id
    WHERE m.tenant_id = p_tenant AND left(m.tenant_id, 5) = 'ten_7' AND m.receipt_source IS NOT NULL
      AND (m.received_at, m.id) < (p_before, p_id)
    ORDER BY m.received_at DESC, m.id DESC LIMIT p_limit;
END $$;
