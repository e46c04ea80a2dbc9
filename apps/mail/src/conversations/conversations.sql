CREATE OR REPLACE FUNCTION find_conversation(p_tenant text, p_mailbox text, p_id text)
RETURNS SETOF conversations LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c.* FROM conversations c
    JOIN mailboxes m ON m.tenant_id = c.tenant_id AND m.id = c.mailbox_id
    WHERE c.tenant_id = p_tenant AND c.id = p_id AND m.address = p_mailbox;
END $$;

CREATE OR REPLACE FUNCTION conversation_messages(p_tenant text, p_conversation text)
RETURNS SETOF messages LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT m.* FROM messages m
    WHERE m.tenant_id = p_tenant AND m.conversation_id = p_conversation
    ORDER BY m.received_at, m.id;
END $$;

CREATE OR REPLACE FUNCTION conversation_attachments(p_tenant text, p_conversation text)
RETURNS SETOF attachments LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT a.* FROM attachments a
    WHERE a.tenant_id = p_tenant AND a.conversation_id = p_conversation
    ORDER BY a.message, a.position;
END $$;

CREATE OR REPLACE FUNCTION conversation_comments(p_tenant text, p_conversation text)
RETURNS SETOF comments LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c.* FROM comments c
    WHERE c.tenant_id = p_tenant AND c.conversation_id = p_conversation
    ORDER BY c.created_at, c.id;
END $$;

CREATE OR REPLACE FUNCTION snoozed_until(
  p_tenant text, p_member text, p_conversation text, p_now timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (
    SELECT s.until FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
      AND s.conversation_id = p_conversation AND s.until > p_now);
END $$;

CREATE OR REPLACE FUNCTION lease_of(p_tenant text, p_conversation text) RETURNS jsonb
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (
    SELECT jsonb_build_object('by', l.holder, 'until', to_char(l.until AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    FROM conversation_leases l WHERE l.tenant_id = p_tenant
      AND l.conversation_id = p_conversation AND l.until > workspace_now(p_tenant));
END $$;

-- Copies the labels of a written row, whatever the search path of the writer.
CREATE OR REPLACE FUNCTION keep_conversation_labels() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  DELETE FROM conversation_labels l
    WHERE l.tenant_id = NEW.tenant_id AND l.conversation_id = NEW.id;
  INSERT INTO conversation_labels
    SELECT NEW.tenant_id, NEW.id, label, NEW.mailbox_id, NEW.status, NEW.placement,
      NEW.last_message_at
    FROM unnest(NEW.labels) label;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER labels_new AFTER INSERT ON conversations
  FOR EACH ROW WHEN (NEW.labels <> '{}') EXECUTE FUNCTION keep_conversation_labels();

CREATE OR REPLACE TRIGGER labels_changed AFTER UPDATE ON conversations
  FOR EACH ROW WHEN (
    (OLD.labels <> '{}' OR NEW.labels <> '{}')
    AND (OLD.labels, OLD.status, OLD.placement, OLD.last_message_at)
      IS DISTINCT FROM (NEW.labels, NEW.status, NEW.placement, NEW.last_message_at))
  EXECUTE FUNCTION keep_conversation_labels();

-- Pages are ordered by the time when a conversation's row was written and the transaction that stored a message.

CREATE OR REPLACE FUNCTION stamp_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := greatest(clock_timestamp() + ahead_of(NEW.tenant_id), NEW.updated_at);
  IF NEW.placement NOT IN ('trash', 'spam') THEN NEW.trashed_at := NULL;
  ELSIF TG_OP = 'INSERT' OR NEW.placement <> OLD.placement THEN NEW.trashed_at := NEW.changed_at;
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER stamp_change BEFORE INSERT OR UPDATE ON conversations
  FOR EACH ROW EXECUTE FUNCTION stamp_change();

CREATE OR REPLACE FUNCTION stamp_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.kept_by := pg_current_xact_id()::text::bigint;
  RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER stamp_message BEFORE INSERT ON messages
  FOR EACH ROW EXECUTE FUNCTION stamp_message();

CREATE OR REPLACE FUNCTION count_open_conversations(p_tenant text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (
    SELECT count(*) FROM conversations c
    WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.status = 'open');
END $$;
