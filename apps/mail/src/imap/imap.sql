-- Begins to read a mailbox from its account, or again after its login was changed: the present reader loses its lease.
-- The folders may be another server's, so their UIDs are matched again.
CREATE OR REPLACE FUNCTION begin_sync(p_tenant text, p_mailbox text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO mailbox_syncs AS s (tenant_id, mailbox_id) VALUES (p_tenant, p_mailbox)
    ON CONFLICT (tenant_id, mailbox_id) DO UPDATE SET state = 'connecting', since = now(), said = NULL,
      failures = 0, refused_since = NULL, next_try_at = now(), turn = s.turn + 1, lease_owner = NULL,
      lease_until = '-infinity';
  UPDATE remote_folders f SET uid_validity = -f.uid_validity
    WHERE f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox AND f.uid_validity > 0;
  UPDATE remote_messages r SET uid_validity = -r.uid_validity
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.uid_validity > 0;
END $$;

CREATE OR REPLACE FUNCTION follow_account() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF TG_OP = 'INSERT' OR NEW.logins <> OLD.logins THEN
    PERFORM begin_sync(NEW.tenant_id, NEW.mailbox_id);
  END IF;
  IF TG_OP = 'INSERT' OR NEW.history_days IS DISTINCT FROM OLD.history_days THEN
    -- Its reader begins again, and reads as far back as is wanted now.
    UPDATE mailbox_syncs s SET history_since = now() - make_interval(days => NEW.history_days),
        turn = s.turn + 1, lease_owner = NULL, lease_until = '-infinity'
      WHERE s.tenant_id = NEW.tenant_id AND s.mailbox_id = NEW.mailbox_id;
  END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER follow_account AFTER INSERT OR UPDATE OF logins, history_days ON mailbox_accounts
  FOR EACH ROW EXECUTE FUNCTION follow_account();

-- Leases mailboxes that have no reader and whose time has come, workspaces in turn. Those of sandboxes are never read,
-- since who reads one also writes to its account.
CREATE OR REPLACE FUNCTION lease_syncs(p_owner text, p_limit integer)
RETURNS TABLE (tenant_id text, mailbox_id text, address text, automation boolean, turn integer)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH due AS (
    SELECT s.tenant_id, s.mailbox_id, s.next_try_at,
      row_number() OVER (PARTITION BY s.tenant_id ORDER BY s.next_try_at) AS place
    FROM mailbox_syncs s JOIN mailboxes m ON m.tenant_id = s.tenant_id AND m.id = s.mailbox_id
    WHERE s.state <> 'stopped' AND s.next_try_at <= now() AND s.lease_until < now()
      AND m.deleted_at IS NULL AND left(s.tenant_id, 5) <> 'ten_7'
  ), chosen AS (
    SELECT d.tenant_id, d.mailbox_id FROM due d ORDER BY d.place, d.next_try_at LIMIT p_limit
  ), taken AS (
    SELECT s.tenant_id, s.mailbox_id FROM mailbox_syncs s
    JOIN chosen c ON c.tenant_id = s.tenant_id AND c.mailbox_id = s.mailbox_id
    WHERE s.state <> 'stopped' AND s.next_try_at <= now() AND s.lease_until < now()
    FOR UPDATE OF s SKIP LOCKED
  )
  UPDATE mailbox_syncs s SET lease_owner = p_owner, lease_until = now() + interval '30 seconds',
      turn = s.turn + 1
    FROM taken t JOIN mailboxes m ON m.tenant_id = t.tenant_id AND m.id = t.mailbox_id
    WHERE s.tenant_id = t.tenant_id AND s.mailbox_id = t.mailbox_id
    RETURNING s.tenant_id, s.mailbox_id, m.address, m.automation, s.turn
$$;

-- Keeps leases for so many seconds more, and answers those that are kept; with none it gives them back.
CREATE OR REPLACE FUNCTION renew_syncs(p_owner text, p_seconds integer, p_mailboxes text[], p_turns integer[])
RETURNS TABLE (mailbox_id text, automation boolean, turn integer)
LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE mailbox_syncs s SET lease_until = now() + make_interval(secs => p_seconds)
    FROM unnest(p_mailboxes, p_turns) AS held (mailbox_id, turn), mailboxes m
    WHERE s.lease_owner = p_owner AND s.mailbox_id = held.mailbox_id AND s.turn = held.turn
      AND m.tenant_id = s.tenant_id AND m.id = s.mailbox_id AND m.deleted_at IS NULL
    RETURNING s.mailbox_id, m.automation, s.turn
$$;

CREATE OR REPLACE FUNCTION count_syncs() RETURNS TABLE (state text, mailboxes bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT s.state, count(*) FROM mailbox_syncs s JOIN mailboxes m ON m.tenant_id = s.tenant_id AND m.id = s.mailbox_id
  WHERE m.deleted_at IS NULL GROUP BY s.state
$$;

-- Publishes the state of reading to those who look at the mailbox: at once when the state has changed, else at most once
-- a second.
CREATE OR REPLACE FUNCTION tell_of_sync() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NEW.state = OLD.state AND OLD.told_at > now() - interval '1 second' THEN RETURN NEW; END IF;
  NEW.told_at := now();
  INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
  SELECT NEW.tenant_id, NEW.mailbox_id || '/' || gen_random_uuid(), 'mailbox.sync', NEW.mailbox_id || ' sync',
    (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
    json_build_object('mailbox', json_build_object('id', m.id, 'address', m.address, 'state', NEW.state))
  FROM mailboxes m WHERE m.tenant_id = NEW.tenant_id AND m.id = NEW.mailbox_id;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER tell_of_sync BEFORE UPDATE OF state ON mailbox_syncs
  FOR EACH ROW EXECUTE FUNCTION tell_of_sync();

-- The messages of a workspace's mailbox under these Message-IDs, one of each.
CREATE OR REPLACE FUNCTION messages_named(p_tenant text, p_mailbox text, p_ids text[])
RETURNS TABLE (message_id text, message text, conversation_id text) LANGUAGE sql STABLE AS $$
  SELECT DISTINCT ON (t.message_id) t.message_id, m.id, m.conversation_id
  FROM thread_ids t JOIN messages m ON m.tenant_id = p_tenant AND m.conversation_id = t.conversation_id
    AND m.mailbox_id = p_mailbox AND (m.message_id = t.message_id OR m.provider_message_id = t.message_id)
  WHERE t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox AND t.message_id = ANY (p_ids)
  ORDER BY t.message_id, m.received_at
$$;

-- The placements that moves between folders give to conversations, p_limit at most; null: it stays. They are decided when
-- all folders were read, since a move begins as a removal. A conversation leaves the inbox with its last message there, to where that is now; one that is nowhere was
-- deleted there, and is archived here. It comes back with a message that comes back.
CREATE OR REPLACE FUNCTION moves_to_follow(p_tenant text, p_mailbox text, p_limit integer)
RETURNS TABLE (conversation_id text, placement text) LANGUAGE sql STABLE AS $$
  WITH touched AS (
    -- Limited before they are made distinct, which would read all that have moved for each step.
    SELECT DISTINCT l.conversation_id FROM (
      SELECT m.conversation_id FROM remote_messages r
      JOIN messages m ON m.tenant_id = p_tenant AND m.id = r.message
      WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.moved LIMIT p_limit) l
  ), places AS (
    SELECT t.conversation_id, f.role, r.gone_at IS NULL AS is_there, r.moved,
      bool_or(r.moved) OVER of_message AS is_touched,
      bool_or(r.gone_at IS NOT NULL OR f.role <> 'inbox') OVER of_message AS was_elsewhere
    FROM touched t
    JOIN messages m ON m.tenant_id = p_tenant AND m.conversation_id = t.conversation_id
    JOIN remote_messages r ON r.tenant_id = p_tenant AND r.message = m.id AND r.mailbox_id = p_mailbox
    JOIN remote_folders f ON f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox AND f.folder = r.folder
    WINDOW of_message AS (PARTITION BY r.message)
  )
  SELECT p.conversation_id, CASE
      WHEN bool_or(p.role = 'inbox' AND p.is_there AND p.moved AND p.was_elsewhere) THEN 'inbox'
      WHEN bool_or(p.role = 'inbox' AND p.is_there) THEN NULL
      WHEN bool_or(p.role = 'trash' AND p.is_there AND p.is_touched) THEN 'trash'
      WHEN bool_or(p.role = 'junk' AND p.is_there AND p.is_touched) THEN 'spam'
      ELSE 'archived' END
  FROM places p GROUP BY p.conversation_id
$$;

-- Keeps what folders there are. A role that a member gave stays.
CREATE OR REPLACE FUNCTION keep_folders(p_tenant text, p_mailbox text, p_folders json) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_last integer := coalesce((
    SELECT max(f.folder) FROM remote_folders f WHERE f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox), 0);
BEGIN
  INSERT INTO remote_folders AS f (tenant_id, mailbox_id, folder, path, delimiter, role)
    SELECT p_tenant, p_mailbox, v_last + row_number() OVER (), l.path, l.delimiter, l.role
    FROM json_to_recordset(p_folders) AS l (path text, delimiter text, role text)
    ON CONFLICT (tenant_id, mailbox_id, path) DO UPDATE SET delimiter = EXCLUDED.delimiter,
      role = CASE WHEN f.is_role_given THEN f.role ELSE EXCLUDED.role END
      WHERE f.delimiter <> EXCLUDED.delimiter OR NOT f.is_role_given AND f.role <> EXCLUDED.role;
END $$;

-- Matches messages of a folder whose UIDs have begun anew with those that are known under earlier ones, by Message-ID and
-- size. What matches nothing is to be read: it is new mail if it came after all that was read, else history, as is what
-- has a Message-ID that several have, since the content decides then. In trash and spam only what is known counts.
CREATE OR REPLACE FUNCTION match_remote(
  p_tenant text, p_mailbox text, p_folder integer, p_validity bigint, p_heads json) RETURNS void
-- PostgreSQL takes a large folder for a small one, and would compare each message with each.
LANGUAGE sql SET enable_nestloop = off AS $$
  WITH known AS (
    SELECT r.message_id, r.size_bytes, min(r.message) AS message, count(*) AS copies FROM remote_messages r
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.folder = p_folder
      AND r.uid_validity <> p_validity AND r.message IS NOT NULL AND r.message_id IS NOT NULL
    GROUP BY r.message_id, r.size_bytes
  ), newest AS (
    SELECT max(r.arrived_at) AS at FROM remote_messages r
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.folder = p_folder
      AND r.uid_validity <> p_validity
  ), heads AS (
    SELECT h.*, count(*) OVER (PARTITION BY h.message_id, h.size_bytes) AS copies
    FROM json_to_recordset(p_heads) AS h (uid bigint, message_id text, size_bytes bigint, arrived_at timestamptz,
      flags text[], modseq numeric)
  )
  INSERT INTO remote_messages (tenant_id, mailbox_id, folder, uid_validity, uid, message, message_id, size_bytes,
      arrived_at, flags, modseq, wanted)
  SELECT p_tenant, p_mailbox, p_folder, p_validity, h.uid, k.message, h.message_id, h.size_bytes, h.arrived_at,
    h.flags, h.modseq, CASE WHEN k.message IS NULL THEN
      CASE WHEN f.role IN ('inbox', 'sent') AND h.arrived_at > n.at THEN 'news' ELSE 'history' END END
  FROM heads h CROSS JOIN newest n
  JOIN remote_folders f ON f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox AND f.folder = p_folder
  LEFT JOIN known k ON k.message_id = h.message_id AND k.size_bytes = h.size_bytes AND k.copies = 1 AND h.copies = 1
  WHERE k.message IS NOT NULL OR f.role IN ('inbox', 'sent', 'archive')
  ON CONFLICT DO NOTHING
$$;

-- Answers the state of a mailbox after a fault, and the time of the next attempt. A refused login is tried three times, a
-- minute apart, then once a day for three days. A server that limits us is left alone for a quarter of an hour. After others the
-- wait grows from 2 seconds to 10 minutes, give or take a fifth.
CREATE OR REPLACE FUNCTION fault_outcome(p_tenant text, p_mailbox text, p_code text, p_retry_at timestamptz)
RETURNS TABLE (state text, is_refused boolean, next_try_at timestamptz) LANGUAGE plpgsql AS $$
DECLARE
  v_refused boolean := p_code IN ('wrong_password', 'consent_expired', 'no_account', 'connected_elsewhere');
  v_sync mailbox_syncs;
BEGIN
  SELECT s.* INTO v_sync FROM mailbox_syncs s WHERE s.tenant_id = p_tenant AND s.mailbox_id = p_mailbox;
  RETURN QUERY SELECT
    CASE WHEN NOT v_refused THEN 'waiting'
      WHEN v_sync.refused_since < now() - interval '3 days' THEN 'stopped'
      WHEN p_code = 'wrong_password' AND p_retry_at IS NULL AND v_sync.failures < 2 THEN 'waiting'
      ELSE 'needs_attention' END,
    v_refused,
    CASE WHEN v_refused THEN
        CASE WHEN p_code = 'wrong_password' AND p_retry_at IS NULL AND v_sync.failures < 2
          THEN now() + interval '1 minute' ELSE now() + interval '1 day' END
      WHEN p_retry_at IS NOT NULL THEN p_retry_at
      WHEN p_code = 'throttled' THEN now() + interval '15 minutes'
      ELSE now() + (0.8 + 0.4 * random()) * least(600, 2 * 1.5 ^ least(v_sync.failures, 20)) * interval '1 second'
    END;
END $$;

-- The state of a mailbox, as it is answered; one row if the mailbox exists, null if it has no account.
CREATE OR REPLACE FUNCTION sync_of(p_tenant text, p_mailbox text) RETURNS TABLE (sync json)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT CASE WHEN s.mailbox_id IS NOT NULL THEN json_build_object(
      'state', s.state, 'since', to_char(s.since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'newestReadAt', to_char(s.newest_read_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'historyTo', to_char(s.history_since AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'lastError', s.said,
      'nextTryAt', CASE WHEN s.state IN ('waiting', 'needs_attention') THEN to_char(s.next_try_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END,
      'changesWaiting', w.waiting, 'changesFailed', w.failed, 'lastFailedChange', w.said,
      'folders', coalesce((
        SELECT json_agg(json_build_object('path', f.path, 'role', f.role, 'total', coalesce(n.total, 0),
            'read', coalesce(n.read, 0), 'unreadable', coalesce(n.unreadable, 0)) ORDER BY f.folder)
        FROM remote_folders f LEFT JOIN (
          SELECT r.folder, count(*) AS total, count(*) FILTER (WHERE r.wanted IS NULL AND r.attempts = 0) AS read,
            count(*) FILTER (WHERE r.wanted IS NULL AND r.attempts > 0) AS unreadable
          FROM remote_messages r
          WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.gone_at IS NULL GROUP BY r.folder
        ) n ON n.folder = f.folder
        WHERE f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox), '[]')) END
    FROM mailboxes m LEFT JOIN mailbox_syncs s ON s.tenant_id = p_tenant AND s.mailbox_id = m.id
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE c.given_up_at IS NULL) AS waiting, count(c.given_up_at) AS failed,
        (array_agg(c.said || jsonb_build_object('at', to_char(c.given_up_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
          ORDER BY c.given_up_at DESC) FILTER (WHERE c.given_up_at IS NOT NULL))[1] AS said
      FROM remote_changes c WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox
    ) w
    WHERE m.tenant_id = p_tenant AND m.id = p_mailbox;
END $$;

-- Gives a folder a role that stays; another folder that has it loses it. False if there is no such folder.
CREATE OR REPLACE FUNCTION set_folder_role(p_tenant text, p_mailbox text, p_path text, p_role text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_found boolean;
BEGIN
  UPDATE remote_folders f SET role = p_role, is_role_given = true,
      -- Its messages are read like those of a new folder.
      uid_validity = CASE WHEN f.role = p_role THEN f.uid_validity END
    WHERE f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox AND f.path = p_path;
  v_found := FOUND;
  UPDATE remote_folders f SET role = 'other', is_role_given = true
    WHERE v_found AND p_role <> 'other' AND f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox
      AND f.role = p_role AND f.path <> p_path;
  RETURN v_found;
END $$;

-- Has a mailbox tried again now, also one that was given up, and what could not be read or
-- changed asked for again.
CREATE OR REPLACE FUNCTION restart_sync(p_tenant text, p_mailbox text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE mailbox_syncs s SET state = 'connecting', since = now(), said = NULL, failures = 0, refused_since = NULL,
      next_try_at = now(), turn = s.turn + 1, lease_owner = NULL, lease_until = '-infinity'
    WHERE s.tenant_id = p_tenant AND s.mailbox_id = p_mailbox;
  UPDATE remote_messages r SET wanted = 'history', attempts = 0
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.message IS NULL AND r.wanted IS NULL
      AND r.attempts > 0;
  UPDATE remote_changes c SET given_up_at = NULL, said = NULL, attempts = 0, next_try_at = now()
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox AND c.given_up_at IS NOT NULL;
END $$;
