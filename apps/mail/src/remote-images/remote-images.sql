-- The HTML of a message of a mailbox, in which remote images have lost their sources to `data-remote-src`.
CREATE OR REPLACE FUNCTION message_html(p_tenant text, p_mailbox text, p_id text)
RETURNS TABLE (html text) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT g.html FROM messages g
    JOIN mailboxes m ON m.tenant_id = g.tenant_id AND m.id = g.mailbox_id
    WHERE g.tenant_id = p_tenant AND g.id = p_id AND m.address = p_mailbox;
END $$;
