-- Counters of the conversations in inboxes, kept by the changes themselves.

-- Adds to a counter, in a slot that no other transaction has locked, or in a new one: no change waits for another.
CREATE OR REPLACE FUNCTION add_to_inbox(p_tenant text, p_mailbox text, p_counted text, p_amount bigint)
RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_slot uuid;
BEGIN
  SELECT c.slot INTO v_slot FROM inbox_counters c
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox AND c.counted = p_counted
    LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
  IF FOUND THEN
    UPDATE inbox_counters c SET amount = c.amount + p_amount
      WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox AND c.counted = p_counted
        AND c.slot = v_slot;
  ELSE
    INSERT INTO inbox_counters (tenant_id, mailbox_id, counted, amount)
      VALUES (p_tenant, p_mailbox, p_counted, p_amount);
  END IF;
END $$;

-- Moves a conversation from the counters it was in to those it belongs to. None is null.
CREATE OR REPLACE FUNCTION keep_inbox_counts() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
DECLARE
  v_row conversations := coalesce(NEW, OLD);
  v_from text := CASE WHEN OLD.placement = 'inbox' THEN OLD.assignee_key END;
  v_to text := CASE WHEN NEW.placement = 'inbox' THEN NEW.assignee_key END;
  v_unread integer := coalesce(NEW.placement = 'inbox' AND NEW.unread, false)::integer
    - coalesce(OLD.placement = 'inbox' AND OLD.unread, false)::integer;
BEGIN
  IF v_from IS DISTINCT FROM v_to THEN
    PERFORM add_to_inbox(v_row.tenant_id, v_row.mailbox_id, 'assigned ' || v_from, -1)
      WHERE v_from IS NOT NULL;
    PERFORM add_to_inbox(v_row.tenant_id, v_row.mailbox_id, 'assigned ' || v_to, 1)
      WHERE v_to IS NOT NULL;
  END IF;
  PERFORM add_to_inbox(v_row.tenant_id, v_row.mailbox_id, 'unread', v_unread) WHERE v_unread <> 0;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER inbox_counted AFTER INSERT OR DELETE ON conversations
  FOR EACH ROW EXECUTE FUNCTION keep_inbox_counts();

CREATE OR REPLACE TRIGGER inbox_recounted AFTER UPDATE ON conversations
  FOR EACH ROW WHEN ((OLD.placement, OLD.assignee_key, OLD.unread)
    IS DISTINCT FROM (NEW.placement, NEW.assignee_key, NEW.unread))
  EXECUTE FUNCTION keep_inbox_counts();

-- Counts the conversations in the inboxes of the mailboxes that a member may read. Snoozes end by themselves, so those of the
-- member are looked at: they are few, and the index has them by their end.
CREATE OR REPLACE FUNCTION inbox_counts(p_tenant text, p_member text, p_email text, p_now timestamptz)
RETURNS TABLE (mine float8, unassigned float8, snoozed float8) LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_mailboxes text[];
  v_kept record;
  v_hidden record;
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  v_mailboxes := ARRAY(SELECT m.id FROM mailboxes m
    WHERE m.tenant_id = p_tenant AND (m.access = '"workspace"'::jsonb OR m.access ? p_member));
  SELECT coalesce(sum(c.amount) FILTER (WHERE c.counted <> 'assigned '), 0) AS mine,
      coalesce(sum(c.amount) FILTER (WHERE c.counted = 'assigned '), 0) AS unassigned
    INTO v_kept FROM inbox_counters c
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = ANY (v_mailboxes)
      AND c.counted IN ('assigned ', 'assigned ' || p_email);
  SELECT count(*) AS snoozed, count(*) FILTER (WHERE c.assignee_key = p_email) AS mine,
      count(*) FILTER (WHERE c.assignee_key = '') AS unassigned
    INTO v_hidden FROM snoozes s
    JOIN conversations c ON c.tenant_id = p_tenant AND c.id = s.conversation_id
    WHERE s.tenant_id = p_tenant AND s.member_id = p_member AND s.until > p_now
      AND c.placement = 'inbox' AND c.mailbox_id = ANY (v_mailboxes);
  RETURN QUERY SELECT (v_kept.mine - v_hidden.mine)::float8,
    (v_kept.unassigned - v_hidden.unassigned)::float8, v_hidden.snoozed::float8;
END $$;

CREATE OR REPLACE FUNCTION unread_counts(p_tenant text, p_mailboxes text[])
RETURNS TABLE (id text, unread float8) LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c.mailbox_id, sum(c.amount)::float8 FROM inbox_counters c
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = ANY (p_mailboxes) AND c.counted = 'unread'
    GROUP BY 1;
END $$;

-- Compares the counters of a mailbox with its conversations, and adds what is missing. One statement sees both in
-- one state, and a change moves both in one commit, so that nothing has to wait for it. Answers the counters
-- that were wrong.
CREATE OR REPLACE FUNCTION repair_inbox_counts(p_tenant text, p_mailbox text) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
  v_wrong bigint;
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  PERFORM take_lock('repair_inbox_counts');
  WITH inbox AS MATERIALIZED (
    SELECT c.assignee_key, c.unread FROM conversations c
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox AND c.placement = 'inbox'
  ), amounts AS (
    SELECT 'assigned ' || assignee_key AS counted, 1 AS amount FROM inbox
    UNION ALL SELECT 'unread', 1 FROM inbox WHERE unread
    UNION ALL SELECT c.counted, -c.amount FROM inbox_counters c
      WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox
  ), missing AS (
    INSERT INTO inbox_counters (tenant_id, mailbox_id, counted, amount)
    SELECT p_tenant, p_mailbox, a.counted, sum(a.amount) FROM amounts a
    GROUP BY a.counted HAVING sum(a.amount) <> 0
    RETURNING counted
  )
  SELECT count(*) INTO v_wrong FROM missing;
  IF v_wrong > 0 THEN RAISE WARNING 'inbox counters of % were wrong: %', p_mailbox, v_wrong; END IF;
  RETURN v_wrong;
END $$;

-- The mailbox that was checked longest ago, if that is a day or more; it counts as checked from then on.
CREATE OR REPLACE FUNCTION take_unchecked_mailbox() RETURNS TABLE (tenant_id text, id text)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE mailboxes m SET counts_checked_at = now()
  FROM (SELECT o.tenant_id, o.id FROM mailboxes o
    WHERE o.counts_checked_at < now() - interval '1 day' AND o.deleted_at IS NULL
    ORDER BY o.counts_checked_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) oldest
  WHERE m.tenant_id = oldest.tenant_id AND m.id = oldest.id
  RETURNING m.tenant_id, m.id
$$;

-- Checks one mailbox a call.
CREATE OR REPLACE FUNCTION check_inbox_counts() RETURNS bigint LANGUAGE sql AS $$
  SELECT repair_inbox_counts(t.tenant_id, t.id) FROM take_unchecked_mailbox() t
$$;
