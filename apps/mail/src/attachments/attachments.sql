-- The message an attachment belongs to, its place among that message's, and where its bytes are.
CREATE OR REPLACE FUNCTION find_attachment(p_tenant text, p_mailbox text, p_id text)
RETURNS TABLE (
  message text, filename text, mime_type text, size integer, place integer, source jsonb)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT a.message, a.filename, a.mime_type, a.size_bytes, a.position, a.source FROM attachments a
    JOIN messages g ON g.tenant_id = a.tenant_id AND g.id = a.message
    JOIN mailboxes m ON m.tenant_id = g.tenant_id AND m.id = g.mailbox_id
    WHERE a.tenant_id = p_tenant AND a.id = p_id AND m.address = p_mailbox;
END $$;

CREATE OR REPLACE FUNCTION draft_file(p_tenant text, p_mailbox text, p_id text)
RETURNS TABLE (filename text, mime_type text, bytes bytea) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT f.filename, f.mime_type, f.bytes FROM draft_files f
    JOIN drafts d ON d.tenant_id = f.tenant_id AND d.id = f.draft_id
    JOIN mailboxes m ON m.tenant_id = d.tenant_id AND m.id = d.mailbox_id
    WHERE f.tenant_id = p_tenant AND f.id = p_id AND m.address = p_mailbox;
END $$;
