CREATE OR REPLACE FUNCTION mailbox_imports(p_tenant text, p_mailbox text, p_limit integer)
RETURNS SETOF imports LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT i.* FROM imports i WHERE i.tenant_id = p_tenant AND i.mailbox_id = p_mailbox
    ORDER BY i.id DESC LIMIT p_limit;
END $$;

-- Publishes the beginning and the end of an import as internal events, whichever process writes them.
CREATE OR REPLACE FUNCTION tell_of_import() RETURNS trigger LANGUAGE plpgsql
SET search_path FROM CURRENT AS $$
BEGIN
  INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
  SELECT NEW.tenant_id, NEW.id || '/' || NEW.state,
    'import.' || CASE NEW.state WHEN 'running' THEN 'started' ELSE NEW.state END, NEW.id,
    CASE NEW.state WHEN 'running' THEN 1 ELSE 2 END,
    json_build_object('import', json_build_object('id', NEW.id, 'mailbox', m.address))
  FROM mailboxes m WHERE m.tenant_id = NEW.tenant_id AND m.id = NEW.mailbox_id;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER tell_of_import_begun AFTER INSERT ON imports
  FOR EACH ROW EXECUTE FUNCTION tell_of_import();
CREATE OR REPLACE TRIGGER tell_of_import_ended AFTER UPDATE OF state ON imports
  FOR EACH ROW WHEN (OLD.state <> NEW.state) EXECUTE FUNCTION tell_of_import();

CREATE OR REPLACE FUNCTION mailbox_known(p_tenant text, p_mailbox text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN EXISTS (SELECT FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.id = p_mailbox);
END $$;

-- Begins an import, unless the mailbox is unknown or has one under way. An import without progress for two
-- minutes has failed, and takes nothing more; one whose row a step has locked is alive. The lock
-- serialises beginnings, and no step waits for it.
CREATE OR REPLACE FUNCTION begin_import(p_tenant text, p_id text, p_mailbox text, p_at timestamptz)
RETURNS TABLE (known boolean, begun boolean) LANGUAGE plpgsql AS $$
DECLARE
  v_known boolean := EXISTS (
    SELECT FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.id = p_mailbox);
  v_begun boolean := false;
BEGIN
  IF v_known THEN
    PERFORM take_lock('mail.import ' || p_mailbox);
    UPDATE imports i SET state = 'failed', finished_at = i.progressed_at FROM (
      SELECT l.id FROM imports l
      WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox AND l.state = 'running'
        AND l.progressed_at < now() - interval '2 minutes'
      FOR NO KEY UPDATE SKIP LOCKED
    ) lost WHERE i.tenant_id = p_tenant AND i.id = lost.id;
    INSERT INTO imports (tenant_id, id, mailbox_id, started_at, progressed_at)
      SELECT p_tenant, p_id, p_mailbox, p_at, p_at WHERE NOT EXISTS (
        SELECT FROM imports i WHERE i.tenant_id = p_tenant AND i.mailbox_id = p_mailbox
          AND i.state = 'running');
    v_begun := FOUND;
  END IF;
  RETURN QUERY SELECT v_known, v_begun;
END $$;
