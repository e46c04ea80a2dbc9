-- Changes made here that are to be made at the account too. Each is a wanted state of one message, so that it may be
-- asked for twice; it is over once what is known of the server agrees.

-- The flags of one kind among those of a message. In lower case, since servers do not tell cases apart.
CREATE OR REPLACE FUNCTION flags_of(p_aspect text, p_flags text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(DISTINCT given.flag ORDER BY given.flag), '{}')
  FROM (SELECT lower(f) COLLATE "C" AS flag FROM unnest(p_flags) AS f) given
  WHERE CASE p_aspect WHEN 'seen' THEN given.flag = '\seen' WHEN 'answered' THEN given.flag = '\answered'
    WHEN 'labels' THEN given.flag ~ '^\$pr_[a-z0-9._-]{1,60}$' ELSE false END
$$;

-- The keywords of those labels that IMAP can say.
CREATE OR REPLACE FUNCTION keywords_of(p_labels text[]) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
  SELECT flags_of('labels', array_agg('$pr_' || l)) FROM unnest(p_labels) AS l
$$;

CREATE OR REPLACE FUNCTION folder_of(p_placement text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_placement WHEN 'archived' THEN 'archive' WHEN 'spam' THEN 'junk' ELSE p_placement END
$$;

CREATE OR REPLACE FUNCTION is_two_way(p_tenant text, p_mailbox text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM mailbox_accounts a
    WHERE a.tenant_id = p_tenant AND a.mailbox_id = p_mailbox AND a.two_way)
$$;

-- The messages of a conversation at the server, in the folders between which they are moved.
CREATE OR REPLACE FUNCTION remote_places(p_tenant text, p_mailbox text, p_messages text[])
RETURNS TABLE (message text, folder integer, path text, role text, uid_validity bigint, uid bigint, flags text[])
LANGUAGE sql STABLE AS $$
  SELECT r.message, f.folder, f.path, f.role, r.uid_validity, r.uid, r.flags
  FROM remote_messages r JOIN remote_folders f ON f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox
    AND f.folder = r.folder AND f.uid_validity = r.uid_validity
  WHERE r.tenant_id = p_tenant AND r.message = ANY (p_messages) AND r.mailbox_id = p_mailbox AND r.gone_at IS NULL
    AND f.role IN ('inbox', 'archive', 'trash', 'junk')
$$;

-- The same, and for messages that are nowhere the places that they left within the hour: they may be on their way, since
-- a server need not say where a message went.
CREATE OR REPLACE FUNCTION last_places(p_tenant text, p_mailbox text, p_messages text[])
RETURNS TABLE (message text, role text, flags text[]) LANGUAGE sql STABLE AS $$
  WITH present AS (SELECT p.message, p.role, p.flags FROM remote_places(p_tenant, p_mailbox, p_messages) p)
  SELECT * FROM present UNION ALL
  SELECT r.message, f.role, r.flags
  FROM remote_messages r JOIN remote_folders f ON f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox
    AND f.folder = r.folder AND f.role IN ('inbox', 'archive', 'trash', 'junk')
  WHERE r.tenant_id = p_tenant AND r.message = ANY (p_messages) AND r.mailbox_id = p_mailbox
    AND r.gone_at > now() - interval '1 hour' AND r.message NOT IN (SELECT p.message FROM present p)
$$;

-- Notes what a change of a conversation means for its messages at the account, in the commit of the change. What
-- follows the account itself is not noted. A conversation that is marked unread has its newest message unread there;
-- one that is reopened takes back what has been in the inbox, or its newest message.
CREATE OR REPLACE FUNCTION note_remote_changes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_messages text[];
  v_newest text;
BEGIN
  IF current_setting('postroom.follows_account', true) = 'on'
    OR NOT is_two_way(NEW.tenant_id, NEW.mailbox_id) THEN RETURN NULL; END IF;
  v_messages := ARRAY(SELECT m.id FROM messages m
    WHERE m.tenant_id = NEW.tenant_id AND m.conversation_id = NEW.id AND m.direction = 'inbound'
    ORDER BY m.received_at DESC, m.id DESC);
  v_newest := v_messages[1];
  INSERT INTO remote_changes AS c (tenant_id, mailbox_id, message, aspect, wanted)
  SELECT DISTINCT NEW.tenant_id, NEW.mailbox_id, p.message, n.aspect, n.wanted
  FROM last_places(NEW.tenant_id, NEW.mailbox_id, v_messages) p
  CROSS JOIN LATERAL (VALUES
    ('place', ARRAY[NEW.placement], NEW.placement <> OLD.placement AND p.role <> folder_of(NEW.placement)
      AND (NEW.placement <> 'inbox' OR p.role <> 'archive' OR p.message = v_newest OR EXISTS (
        SELECT FROM remote_messages was JOIN remote_folders f ON f.tenant_id = NEW.tenant_id
          AND f.mailbox_id = NEW.mailbox_id AND f.folder = was.folder AND f.role = 'inbox'
        WHERE was.tenant_id = NEW.tenant_id AND was.message = p.message))),
    ('seen', CASE WHEN NEW.unread THEN '{}' ELSE ARRAY['\seen'] END,
      NEW.unread <> OLD.unread AND (NOT NEW.unread OR p.message = v_newest)
      AND NEW.unread = ('{\\seen}' = flags_of('seen', p.flags))),
    ('labels', keywords_of(NEW.labels), NEW.labels <> OLD.labels
      AND keywords_of(NEW.labels) <> flags_of('labels', p.flags))
  ) AS n (aspect, wanted, is_wanted)
  WHERE n.is_wanted OR EXISTS (SELECT FROM remote_changes noted WHERE noted.tenant_id = NEW.tenant_id
      AND noted.message = p.message AND noted.aspect = n.aspect
      AND CASE n.aspect WHEN 'place' THEN NEW.placement <> OLD.placement WHEN 'labels' THEN NEW.labels <> OLD.labels
        ELSE NEW.unread <> OLD.unread AND (NOT NEW.unread OR p.message = v_newest) END)
  ON CONFLICT (tenant_id, message, aspect) DO UPDATE SET wanted = EXCLUDED.wanted, since = EXCLUDED.since,
    attempts = 0, next_try_at = EXCLUDED.next_try_at, said = NULL, given_up_at = NULL;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_remote_changes AFTER UPDATE ON conversations
  FOR EACH ROW WHEN ((OLD.placement, OLD.unread, OLD.labels) IS DISTINCT FROM (NEW.placement, NEW.unread, NEW.labels))
  EXECUTE FUNCTION note_remote_changes();

-- A message that a member has answered is marked as that.
CREATE OR REPLACE FUNCTION note_answered() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT is_two_way(NEW.tenant_id, NEW.mailbox_id) THEN RETURN NULL; END IF;
  INSERT INTO remote_changes (tenant_id, mailbox_id, message, aspect, wanted)
  SELECT DISTINCT NEW.tenant_id, NEW.mailbox_id, p.message, 'answered', ARRAY['\answered']
  FROM last_places(NEW.tenant_id, NEW.mailbox_id, ARRAY(SELECT m.id FROM messages m
    WHERE m.tenant_id = NEW.tenant_id AND m.mailbox_id = NEW.mailbox_id AND m.direction = 'inbound'
      AND m.message_id = NEW.in_reply_to)) p
  WHERE flags_of('answered', p.flags) = '{}'
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER note_answered AFTER INSERT ON messages
  FOR EACH ROW WHEN (NEW.direction = 'outbound' AND NEW.created_by IS NOT NULL AND NEW.in_reply_to IS NOT NULL)
  EXECUTE FUNCTION note_answered();

-- Switched off: nothing more is to be changed at the server.
CREATE OR REPLACE FUNCTION forget_remote_changes() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM remote_changes c WHERE c.tenant_id = NEW.tenant_id AND c.mailbox_id = NEW.mailbox_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER forget_remote_changes AFTER UPDATE OF two_way ON mailbox_accounts
  FOR EACH ROW WHEN (NOT NEW.two_way) EXECUTE FUNCTION forget_remote_changes();

-- The mailboxes of an owner for which there is something to do.
CREATE OR REPLACE FUNCTION mailboxes_to_change(p_owner text) RETURNS TABLE (mailbox_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT s.mailbox_id FROM mailbox_syncs s
  WHERE s.lease_owner = p_owner AND s.lease_until > now() AND (EXISTS (
    SELECT FROM remote_changes c WHERE c.tenant_id = s.tenant_id AND c.mailbox_id = s.mailbox_id
      AND c.given_up_at IS NULL AND c.next_try_at <= now()) OR EXISTS (
    SELECT FROM sent_copies c WHERE c.tenant_id = s.tenant_id AND c.mailbox_id = s.mailbox_id
      AND c.look_at <= now()))
$$;

CREATE OR REPLACE FUNCTION count_remote_changes() RETURNS TABLE (state text, changes bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT s.state, count(c.mailbox_id) FROM (VALUES ('waiting', false), ('failed', true)) AS s (state, is_failed)
  LEFT JOIN remote_changes c ON (c.given_up_at IS NOT NULL) = s.is_failed GROUP BY s.state
$$;

-- The remaining steps of the changes of some messages: flags to be added and removed, or the folder to move to, null
-- where there is none.
CREATE OR REPLACE FUNCTION change_steps(p_tenant text, p_mailbox text, p_messages text[])
RETURNS TABLE (message text, aspect text, folder integer, path text, uid_validity bigint, uid bigint,
  added text[], removed text[], to_folder integer, to_path text, is_there boolean)
LANGUAGE sql STABLE AS $$
  SELECT c.message, c.aspect, p.folder, p.path, p.uid_validity, p.uid,
    ARRAY(SELECT unnest(c.wanted) EXCEPT SELECT unnest(has.flags) ORDER BY 1),
    ARRAY(SELECT unnest(has.flags) EXCEPT SELECT unnest(c.wanted) ORDER BY 1), t.folder, t.path, there.is_there
  FROM remote_changes c
  JOIN remote_places(p_tenant, p_mailbox, p_messages) p ON p.message = c.message
  CROSS JOIN LATERAL (SELECT flags_of(c.aspect, p.flags) AS flags) has
  LEFT JOIN LATERAL (SELECT f.folder, f.path FROM remote_folders f WHERE f.tenant_id = p_tenant
      AND f.mailbox_id = p_mailbox AND c.aspect = 'place' AND f.role = folder_of(c.wanted[1])
    ORDER BY f.folder DESC LIMIT 1) t ON true
  CROSS JOIN LATERAL (SELECT EXISTS (SELECT FROM remote_places(p_tenant, p_mailbox, ARRAY[c.message]) other
    WHERE c.aspect = 'place' AND other.role = folder_of(c.wanted[1])) AS is_there) there
  WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox AND c.message = ANY (p_messages)
    AND c.given_up_at IS NULL AND CASE WHEN c.aspect <> 'place' THEN has.flags <> c.wanted
      ELSE p.role <> folder_of(c.wanted[1]) AND NOT (c.wanted = '{inbox}' AND there.is_there) END
$$;

-- Ends the changes of some messages of which nothing is left to be done. What a commit has locked is left for later; the
-- rest is locked first, so that none that is wanted anew is ended.
CREATE OR REPLACE FUNCTION end_done_changes(p_tenant text, p_mailbox text, p_messages text[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_held text[];
BEGIN
  v_held := ARRAY(SELECT c.message || ' ' || c.aspect FROM remote_changes c
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox AND c.message = ANY (p_messages)
      AND c.given_up_at IS NULL FOR UPDATE SKIP LOCKED);
  DELETE FROM remote_changes c
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox AND c.message = ANY (p_messages)
      AND c.message || ' ' || c.aspect = ANY (v_held)
      -- One that is nowhere may be on its way: not every server says where it went.
      AND (c.attempts > 2 OR c.message IN (
        SELECT p.message FROM remote_places(p_tenant, p_mailbox, p_messages) p))
      AND (c.message, c.aspect) NOT IN (SELECT s.message, s.aspect FROM change_steps(p_tenant, p_mailbox, p_messages) s);
END $$;

-- Takes changes whose time has come, and answers what is to be done. That they were asked for is noted before they are, so
-- that the server's report of them is known, and one that breaks the connection is not asked for without end.
CREATE OR REPLACE FUNCTION take_changes(p_tenant text, p_mailbox text, p_limit integer, p_tries integer)
RETURNS TABLE (message text, aspect text, folder integer, path text, uid_validity bigint, uid bigint,
  added text[], removed text[], to_folder integer, to_path text, is_there boolean)
LANGUAGE plpgsql AS $$
DECLARE
  v_taken text[];
  v_messages text[];
BEGIN
  WITH due AS (
    SELECT c.message, c.aspect FROM remote_changes c
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox AND c.given_up_at IS NULL AND c.next_try_at <= now()
    ORDER BY c.since LIMIT p_limit FOR UPDATE SKIP LOCKED
  ), taken AS (
    UPDATE remote_changes c SET asked = c.wanted, attempts = c.attempts + 1,
        next_try_at = now() + 5 * 2 ^ c.attempts * interval '1 second'
      FROM due d WHERE c.tenant_id = p_tenant AND c.message = d.message AND c.aspect = d.aspect
      RETURNING c.message, c.aspect
  )
  SELECT array_agg(t.message || ' ' || t.aspect), array_agg(t.message) INTO v_taken, v_messages FROM taken t;
  PERFORM end_done_changes(p_tenant, p_mailbox, v_messages);
  UPDATE remote_changes c SET given_up_at = now(),
      said = coalesce(c.said, json_build_object('code', 'not_done', 'text', 'The server does not do it.')::jsonb)
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox AND c.message || ' ' || c.aspect = ANY (v_taken)
      AND c.message = ANY (v_messages) AND c.attempts > p_tries;
  RETURN QUERY SELECT s.* FROM change_steps(p_tenant, p_mailbox, v_messages) s
    WHERE s.message || ' ' || s.aspect = ANY (v_taken);
END $$;

-- Notes that messages have moved at our word, to the UIDs that the server told, if it did.
CREATE OR REPLACE FUNCTION note_moved(p_tenant text, p_mailbox text, p_folder integer, p_validity bigint, p_uids bigint[],
  p_to integer, p_to_validity bigint, p_to_uids bigint[])
RETURNS void LANGUAGE sql AS $$
  WITH moved AS (
    UPDATE remote_messages r SET gone_at = now() FROM unnest(p_uids, p_to_uids) AS m (uid, to_uid)
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.folder = p_folder AND r.uid_validity = p_validity
      AND r.uid = m.uid
    RETURNING m.to_uid, r.message, r.message_id, r.size_bytes, r.arrived_at, r.flags
  )
  INSERT INTO remote_messages AS r
    (tenant_id, mailbox_id, folder, uid_validity, uid, message, message_id, size_bytes, arrived_at, flags)
  SELECT p_tenant, p_mailbox, p_to, p_to_validity, m.to_uid, m.message, m.message_id, m.size_bytes, m.arrived_at, m.flags
  FROM moved m WHERE m.to_uid IS NOT NULL ON CONFLICT DO NOTHING
$$;

-- True if a conversation is to follow its messages to their folder, although a change of ours waits and differs: ours
-- counts for a minute, then what the server says. What the server was asked for is our own echo.
CREATE OR REPLACE FUNCTION yields_place(p_tenant text, p_conversation text, p_to text) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
  -- A change that is being committed is waited for.
  PERFORM FROM conversations c WHERE c.tenant_id = p_tenant AND c.id = p_conversation FOR NO KEY UPDATE;
  IF EXISTS (SELECT FROM messages m JOIN remote_changes c ON c.tenant_id = p_tenant AND c.message = m.id
    WHERE m.tenant_id = p_tenant AND m.conversation_id = p_conversation AND c.aspect = 'place'
      AND c.given_up_at IS NULL AND (c.asked = ARRAY[p_to] OR c.since > now() - interval '1 minute'))
  THEN RETURN false; END IF;
  DELETE FROM remote_changes c USING messages m
    WHERE m.tenant_id = p_tenant AND m.conversation_id = p_conversation AND c.tenant_id = p_tenant
      AND c.message = m.id AND c.aspect = 'place';
  RETURN true;
END $$;

-- Flags that differ from what is known, each looked up by its key: PostgreSQL takes a large folder for a small one.
CREATE OR REPLACE FUNCTION flags_told(p_tenant text, p_mailbox text, p_folder integer, p_validity bigint, p_flags json)
RETURNS TABLE (uid bigint, message text, before text[], after text[], modseq numeric) LANGUAGE sql STABLE AS $$
  SELECT s.uid, r.message, r.flags, s.flags, s.modseq
  FROM json_to_recordset(p_flags) AS s (uid bigint, flags text[], modseq numeric)
  CROSS JOIN LATERAL (SELECT known.message, known.flags, known.modseq FROM remote_messages known
    WHERE known.tenant_id = p_tenant AND known.mailbox_id = p_mailbox AND known.folder = p_folder
      AND known.uid_validity = p_validity AND known.uid = s.uid OFFSET 0) r
  WHERE (r.flags, r.modseq) IS DISTINCT FROM (s.flags, s.modseq)
$$;

-- Keeps the server's flags of the messages of a folder, and answers what that means for conversations, where
-- changes go both ways: read once all of it in the inbox is, unread with any, and labels that came and went.
CREATE OR REPLACE FUNCTION keep_flags(p_tenant text, p_mailbox text, p_folder integer, p_validity bigint, p_flags json)
RETURNS TABLE (conversation_id text, unread boolean, added text[], removed text[]) LANGUAGE plpgsql AS $$
DECLARE
  v_changed text[];
BEGIN
  IF is_two_way(p_tenant, p_mailbox) THEN
    v_changed := ARRAY(SELECT t.message FROM flags_told(p_tenant, p_mailbox, p_folder, p_validity, p_flags) t
      WHERE t.message IS NOT NULL AND t.before <> t.after);
  END IF;
  -- A change that is being committed is waited for.
  PERFORM FROM conversations c WHERE c.tenant_id = p_tenant AND c.id IN (
      SELECT m.conversation_id FROM messages m WHERE m.tenant_id = p_tenant AND m.id = ANY (v_changed))
    ORDER BY c.id FOR NO KEY UPDATE;
  RETURN QUERY WITH told AS MATERIALIZED (
    SELECT t.* FROM flags_told(p_tenant, p_mailbox, p_folder, p_validity, p_flags) t
  ), kept AS (
    INSERT INTO remote_messages AS r (tenant_id, mailbox_id, folder, uid_validity, uid, flags, modseq)
    SELECT p_tenant, p_mailbox, p_folder, p_validity, t.uid, t.after, t.modseq FROM told t
    ON CONFLICT ON CONSTRAINT remote_messages_pkey DO UPDATE SET flags = EXCLUDED.flags, modseq = EXCLUDED.modseq
  ), changed AS (
    SELECT m.conversation_id, t.message, a.aspect, flags_of(a.aspect, t.before) AS before,
      flags_of(a.aspect, t.after) AS after
    FROM told t JOIN messages m ON m.tenant_id = p_tenant AND m.id = t.message AND m.direction = 'inbound'
    JOIN remote_folders f ON f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox AND f.folder = p_folder
      AND f.role IN ('inbox', 'archive', 'trash', 'junk')
    CROSS JOIN (VALUES ('seen'), ('labels')) AS a (aspect)
    WHERE t.message = ANY (v_changed) AND flags_of(a.aspect, t.before) <> flags_of(a.aspect, t.after)
  ), judged AS MATERIALIZED (
    SELECT h.*, EXISTS (SELECT FROM remote_changes c WHERE c.tenant_id = p_tenant AND c.message = h.message
      AND c.aspect = h.aspect AND c.given_up_at IS NULL
      AND (c.asked = h.after OR c.since > now() - interval '1 minute')) AS is_ours
    FROM changed h
  ), dropped AS (
    DELETE FROM remote_changes c USING judged j WHERE NOT j.is_ours AND c.tenant_id = p_tenant
      AND c.message = j.message AND c.aspect = j.aspect
  )
  SELECT j.conversation_id, CASE
      WHEN bool_or(j.aspect = 'seen' AND j.after = '{}') THEN true
      WHEN bool_or(j.aspect = 'seen') AND NOT EXISTS (
        SELECT FROM messages m JOIN remote_messages r ON r.tenant_id = p_tenant AND r.message = m.id
          AND r.mailbox_id = p_mailbox AND r.gone_at IS NULL
        JOIN remote_folders f ON f.tenant_id = p_tenant AND f.mailbox_id = p_mailbox AND f.folder = r.folder
          AND f.role = 'inbox'
        LEFT JOIN told t ON t.message = m.id
        WHERE m.tenant_id = p_tenant AND m.conversation_id = j.conversation_id AND m.direction = 'inbound'
          AND flags_of('seen', coalesce(t.after, r.flags)) = '{}') THEN false END,
    ARRAY(SELECT DISTINCT substr(k, 5) FROM judged l, unnest(l.after) AS k WHERE NOT l.is_ours
      AND l.conversation_id = j.conversation_id AND l.aspect = 'labels' AND k <> ALL (l.before)),
    ARRAY(SELECT DISTINCT substr(k, 5) FROM judged l, unnest(l.before) AS k WHERE NOT l.is_ours
      AND l.conversation_id = j.conversation_id AND l.aspect = 'labels' AND k <> ALL (l.after))
  FROM judged j WHERE NOT j.is_ours GROUP BY j.conversation_id;
END $$;
