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
RETURNS TABLE (filename text, mime_type text, size integer) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT f.filename, f.mime_type, f.size_bytes FROM draft_files f
    JOIN mailboxes m ON m.tenant_id = f.tenant_id AND m.id = f.mailbox_id
    WHERE f.tenant_id = p_tenant AND f.id = p_id AND f.is_whole AND m.address = p_mailbox;
END $$;

-- The piece of a draft's file that begins at a place.
CREATE OR REPLACE FUNCTION draft_file_piece(p_tenant text, p_mailbox text, p_id text, p_start integer)
RETURNS TABLE (bytes bytea) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT p.bytes FROM draft_file_pieces p
    JOIN draft_files f ON f.tenant_id = p.tenant_id AND f.id = p.file_id
    JOIN mailboxes m ON m.tenant_id = f.tenant_id AND m.id = f.mailbox_id
    WHERE p.tenant_id = p_tenant AND p.file_id = p_id AND p.start = p_start AND m.address = p_mailbox;
END $$;

-- Deletes files that were uploaded and that no draft has named for a day, of every tenant, some at a time.
CREATE OR REPLACE FUNCTION purge_uploads() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_tenant text;
  v_deleted bigint;
BEGIN
  v_tenant := tenant_with_old_uploads();
  IF v_tenant IS NULL THEN RETURN 0; END IF;
  PERFORM set_config('postroom.tenant', v_tenant, true);
  DELETE FROM draft_files f WHERE f.tenant_id = v_tenant AND f.id = ANY (ARRAY(
    SELECT o.id FROM draft_files o WHERE o.tenant_id = v_tenant AND o.draft_id IS NULL
      AND o.created_at < now() - interval '24 hours' LIMIT 20));
  GET DIAGNOSTICS v_deleted = ROW_COUNT;
  RETURN CASE WHEN v_deleted > 0 THEN 1000 ELSE 0 END;
END $$;

CREATE OR REPLACE FUNCTION tenant_with_old_uploads() RETURNS text LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT f.tenant_id FROM draft_files f
  WHERE f.draft_id IS NULL AND f.created_at < now() - interval '24 hours' LIMIT 1
$$;
