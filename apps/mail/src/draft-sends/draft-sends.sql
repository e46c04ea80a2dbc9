-- Drafts whose time has come, and those whose sender is gone, each for one worker for a while. The workspaces
-- of p_busy have enough under way; of the others each has its turn.
CREATE OR REPLACE FUNCTION take_due_drafts(p_limit integer, p_busy text[])
RETURNS TABLE (tenant_id text, id text, token text) LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH due AS (
    SELECT d.tenant_id, d.id, d.send_due,
      row_number() OVER (PARTITION BY d.tenant_id ORDER BY d.send_due) AS turn
    FROM drafts d
    WHERE d.send_state IN ('waiting', 'sending') AND d.send_due <= now()
      AND d.tenant_id <> ALL (p_busy)
  ), chosen AS (
    SELECT due.tenant_id, due.id FROM due WHERE due.turn <= 4
    ORDER BY due.turn, due.send_due LIMIT p_limit
  ), taken AS (
    SELECT d.tenant_id, d.id FROM drafts d
    JOIN chosen c ON c.tenant_id = d.tenant_id AND c.id = d.id
    WHERE d.send_state IN ('waiting', 'sending') AND d.send_due <= now()
    FOR UPDATE OF d SKIP LOCKED
  )
  UPDATE drafts d SET send_state = 'sending', send_due = now() + interval '90 seconds',
      send_token = gen_random_uuid()::text
    FROM taken WHERE d.tenant_id = taken.tenant_id AND d.id = taken.id
    RETURNING d.tenant_id, d.id, d.send_token
$$;

-- Removes a draft whose message has left, in the commit of its receipt.
CREATE OR REPLACE FUNCTION remove_sent_draft(p_tenant text, p_draft text, p_event text, p_at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_thread text;
BEGIN
  PERFORM FROM drafts d WHERE d.tenant_id = p_tenant AND d.id = p_draft FOR UPDATE;
  PERFORM tell_of_draft(p_tenant, p_draft, 'draft.sent', p_event, p_at);
  DELETE FROM drafts d WHERE d.tenant_id = p_tenant AND d.id = p_draft
    RETURNING d.conversation_id INTO v_thread;
  UPDATE conversations c SET draft_count = c.draft_count - 1, version = c.version + 1,
      updated_at = greatest(c.updated_at, p_at)
    WHERE c.tenant_id = p_tenant AND c.id = v_thread;
END $$;

-- Settles the draft of a send that an administrator knows to have failed: it stays, unsent, until a member sends it
-- again. Locked before its send, as in the commit of a receipt.
CREATE OR REPLACE FUNCTION keep_unsent_draft(p_tenant text, p_message text, p_event text, p_at timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_draft text;
BEGIN
  UPDATE drafts d SET send_state = 'failed', send_reason = 'SEND_SETTLED_AS_FAILED', send_warning = NULL,
      send_due = NULL, send_token = NULL, version = d.version + 1, updated_at = greatest(d.updated_at, p_at)
    FROM send_reservations r
    WHERE r.tenant_id = p_tenant AND r.message = p_message AND r.state = 'unknown'
      AND d.tenant_id = p_tenant AND d.id = r.outgoing ->> 'draft' AND d.send_state IN ('waiting', 'sending')
    RETURNING d.id INTO v_draft;
  PERFORM tell_of_draft(p_tenant, v_draft, 'draft.failed', p_event, p_at);
END $$;
