-- Bytes of a message of a mailbox as it came or left; null where there is no such message.
CREATE OR REPLACE FUNCTION find_original(p_tenant text, p_mailbox text, p_id text)
RETURNS integer LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (
    SELECT sum(octet_length(r.raw)) FROM messages g
    JOIN mailboxes m ON m.tenant_id = g.tenant_id AND m.id = g.mailbox_id
    JOIN raw_messages r ON r.tenant_id = g.tenant_id AND r.message = g.id
    WHERE g.tenant_id = p_tenant AND g.id = p_id AND m.address = p_mailbox);
END $$;

-- Bytes of a message from a place on: p_length of them, or fewer where a piece ends; none behind its last;
-- null where there is no such message.
CREATE OR REPLACE FUNCTION message_piece(
  p_tenant text, p_message text, p_start integer, p_length integer)
RETURNS bytea LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (SELECT substring(r.raw FROM p_start - r.start + 1 FOR p_length) FROM raw_messages r
    WHERE r.tenant_id = p_tenant AND r.message = p_message AND r.start <= p_start
    ORDER BY r.start DESC LIMIT 1);
END $$;

-- Keeps a piece of a message that may leave, each behind the one before it. The last one waits for the
-- disk, and so for all of them: a server that went down in between has lost those behind some piece, and
-- takes none that does not follow.
CREATE OR REPLACE FUNCTION stage_piece(
  p_tenant text, p_message text, p_start integer, p_last boolean, p_bytes bytea)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  IF NOT p_last THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
  IF p_start = 0 THEN
    INSERT INTO staged_messages (tenant_id, message) VALUES (p_tenant, p_message);
  ELSE
    -- Locked: a concurrent purge waits, and deletes this piece too.
    PERFORM FROM staged_messages s
      WHERE s.tenant_id = p_tenant AND s.message = p_message FOR SHARE;
    IF NOT FOUND THEN RAISE EXCEPTION 'message % is not staged', p_message; END IF;
    PERFORM FROM raw_messages r
      WHERE r.tenant_id = p_tenant AND r.message = p_message AND r.start < p_start
        AND r.start + octet_length(r.raw) = p_start;
    IF NOT FOUND THEN RAISE EXCEPTION 'message % has a gap', p_message; END IF;
  END IF;
  INSERT INTO raw_messages (tenant_id, message, start, trace, raw)
    VALUES (p_tenant, p_message, p_start, '', p_bytes);
END $$;

-- Deletes the pieces of a message that does not leave.
CREATE OR REPLACE FUNCTION unstage_message(p_tenant text, p_message text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  DELETE FROM staged_messages s WHERE s.tenant_id = p_tenant AND s.message = p_message;
  IF FOUND THEN
    DELETE FROM raw_messages r WHERE r.tenant_id = p_tenant AND r.message = p_message;
  END IF;
END $$;

-- Deletes what processes that died have left staged, of every tenant: megabytes each, so few at a time.
CREATE OR REPLACE FUNCTION purge_staged() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT s.tenant_id, s.message FROM staged_messages s
    WHERE s.staged_at < now() - interval '1 hour' LIMIT 20 FOR UPDATE SKIP LOCKED
  ), deleted AS (
    DELETE FROM staged_messages s USING old
    WHERE s.tenant_id = old.tenant_id AND s.message = old.message RETURNING s.*
  ), pieces AS (
    DELETE FROM raw_messages r USING deleted d
    WHERE r.tenant_id = d.tenant_id AND r.message = d.message
  ) SELECT count(*) FROM deleted
$$;
