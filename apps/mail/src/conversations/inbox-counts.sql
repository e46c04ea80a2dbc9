-- What waits in the inboxes of the mailboxes that a member may read.
CREATE OR REPLACE FUNCTION inbox_counts(p_tenant text, p_member text, p_email text, p_now timestamptz)
RETURNS TABLE (mine float8, unassigned float8, snoozed float8) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT count(*) FILTER (WHERE h.snoozed IS NULL AND c.assignee_key = p_email)::float8,
      count(*) FILTER (WHERE h.snoozed IS NULL AND c.assignee_key = '')::float8,
      count(h.snoozed)::float8
    FROM mailboxes m
    JOIN conversations c ON c.tenant_id = p_tenant AND c.mailbox_id = m.id AND c.placement = 'inbox'
    LEFT JOIN LATERAL (SELECT true AS snoozed FROM snoozes s WHERE s.tenant_id = p_tenant
      AND s.member_id = p_member AND s.conversation_id = c.id AND s.until > p_now) h ON true
    WHERE m.tenant_id = p_tenant AND (m.access = '"workspace"'::jsonb OR m.access ? p_member);
END $$;

CREATE OR REPLACE FUNCTION unread_counts(p_tenant text, p_mailboxes text[])
RETURNS TABLE (id text, unread float8) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c.mailbox_id, count(*)::float8 FROM conversations c
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = ANY (p_mailboxes) AND c.placement = 'inbox'
      AND c.unread
    GROUP BY 1;
END $$;
