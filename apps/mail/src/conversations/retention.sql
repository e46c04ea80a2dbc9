-- Mailboxes with conversations that are older than they keep them, of every workspace.
CREATE OR REPLACE FUNCTION mailboxes_with_old() RETURNS TABLE (tenant_id text, mailbox_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT b.tenant_id, b.id FROM mailboxes b
  WHERE b.retention_days IS NOT NULL AND b.deleted_at IS NULL AND EXISTS (
    SELECT FROM conversations c WHERE c.tenant_id = b.tenant_id AND c.mailbox_id = b.id
      AND c.placement = ANY (ARRAY['inbox', 'archived', 'trash', 'spam'])
      AND c.last_message_at < now() - b.retention_days * interval '1 day')
$$;

-- Deletes some of a mailbox's conversations that are too old and that no send needs: looked at under their locks, since a
-- message may just have arrived. Answers how many are gone, and whether there were any to delete.
CREATE OR REPLACE FUNCTION delete_old_conversations(
  p_tenant text, p_mailbox text, p_limit integer, OUT deleted integer, OUT is_more boolean)
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[] := ARRAY(
    SELECT c.id FROM conversations c JOIN mailboxes b ON b.tenant_id = p_tenant AND b.id = p_mailbox
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox
      AND c.placement = ANY (ARRAY['inbox', 'archived', 'trash', 'spam'])
      AND c.last_message_at < now() - b.retention_days * interval '1 day'
      AND c.id NOT IN (SELECT held_conversations(p_tenant))
    LIMIT p_limit FOR UPDATE OF c SKIP LOCKED);
BEGIN
  deleted := delete_conversations(p_tenant, v_ids);
  is_more := v_ids <> '{}';
END $$;
