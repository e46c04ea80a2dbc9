-- Drafts of a mailbox, or of one of its conversations, last changed first, after a place in that order: no more than p_bytes of them
-- together, but at least one; with each whether there is another behind it.
CREATE OR REPLACE FUNCTION list_drafts(
  p_tenant text, p_mailbox text, p_thread text, p_after_at timestamptz, p_after_id text,
  p_limit integer, p_bytes integer)
RETURNS TABLE (draft drafts, more boolean) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT page.d, page.more FROM (
      SELECT found.d, row_number() OVER place AS place, lead(found.id) OVER place IS NOT NULL AS more,
        sum(found.bytes) OVER place AS bytes
      FROM (
        SELECT d, d.updated_at, d.id, octet_length(d.body) + octet_length(d.recipients::text)
          + octet_length(d.cc::text) + octet_length(d.bcc::text) AS bytes
        FROM drafts d
        WHERE d.tenant_id = p_tenant AND d.mailbox_id = (
            SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox)
          AND (p_thread IS NULL OR d.conversation_id = p_thread)
          AND (d.updated_at, d.id) < (p_after_at, p_after_id)
        ORDER BY d.updated_at DESC, d.id DESC
        LIMIT p_limit + 1
      ) found
      WINDOW place AS (ORDER BY found.updated_at DESC, found.id DESC)
    ) page
    WHERE page.place <= p_limit AND (page.place = 1 OR page.bytes <= p_bytes)
    ORDER BY page.place;
END $$;

-- A draft of a mailbox.
CREATE OR REPLACE FUNCTION read_draft(p_tenant text, p_mailbox text, p_draft text)
RETURNS SETOF drafts LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT d.* FROM drafts d JOIN mailboxes m ON m.tenant_id = d.tenant_id AND m.id = d.mailbox_id
    WHERE d.tenant_id = p_tenant AND m.address = p_mailbox AND d.id = p_draft;
END $$;

-- The files of a draft as the API shows them, in order.
CREATE OR REPLACE FUNCTION draft_files_of(p_tenant text, p_draft text) RETURNS json
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (
    SELECT coalesce(json_agg(json_build_object(
      'id', f.id, 'filename', f.filename, 'mimeType', f.mime_type,
      'declaredMimeType', f.declared_mime_type, 'size', f.size_bytes,
      'inline', false, 'contentId', NULL) ORDER BY f.position), '[]')
    FROM draft_files f WHERE f.tenant_id = p_tenant AND f.draft_id = p_draft);
END $$;

-- Publishes a change of a draft as an internal event; the number of a removal is the one after its last version.
CREATE OR REPLACE FUNCTION tell_of_draft(
  p_tenant text, p_draft text, p_type text, p_event text, p_at timestamptz)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
  SELECT p_tenant, p_event, p_type, d.id, n.version, json_build_object(
    'occurredAt', to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'draft', json_build_object('id', d.id, 'mailbox', m.address, 'threadId', d.conversation_id,
      'version', n.version, 'sentBy', d.send_by))
  FROM drafts d JOIN mailboxes m ON m.tenant_id = d.tenant_id AND m.id = d.mailbox_id
  CROSS JOIN LATERAL (
    SELECT d.version + (p_type IN ('draft.deleted', 'draft.sent'))::int AS version) n
  WHERE d.tenant_id = p_tenant AND d.id = p_draft
$$;
