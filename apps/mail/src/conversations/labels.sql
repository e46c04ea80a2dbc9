-- Runs for whoever writes the row, whatever the search path.
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

-- The spelling of each label of a mailbox; one that it does not have yet is taken as it is given. In the
-- order of keys, so that two requests never wait for each other.
CREATE OR REPLACE FUNCTION spell_labels(
  p_tenant text, p_mailbox_id text, p_keys text[], p_names text[])
RETURNS TABLE (key text, name text) LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO labels AS l (tenant_id, mailbox_id, key, name)
    SELECT p_tenant, p_mailbox_id, given.key COLLATE "C" AS given_key, given.name
    FROM unnest(p_keys, p_names) AS given (key, name) ORDER BY given_key
    ON CONFLICT DO NOTHING;
  RETURN QUERY SELECT l.key, l.name FROM labels l
    WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox_id AND l.key = ANY (p_keys);
END $$;
