import { lookupFunction, tenantPolicy, visible } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Messages of many bytes are kept and read in pieces (docs/adr/0036). */
export class OriginalsInPieces1764700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tables);
    await runner.query(reads);
    await runner.query(readsBefore);
    await runner.query(staging);
    await runner.query(upkeep);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const tables = `
  -- Where in its message a piece begins, in bytes. What was kept before is one piece, whatever its size.
  ALTER TABLE raw_messages ADD COLUMN start integer NOT NULL DEFAULT 0,
    DROP CONSTRAINT raw_messages_pkey, ADD PRIMARY KEY (tenant_id, message, start);

  -- Where its message has its bytes: {start, end, encoding}. Null: kept before that was written down,
  -- or not to be told.
  ALTER TABLE attachments ADD COLUMN source jsonb;

  -- Messages whose pieces are kept, and which no send has begun to transmit.
  CREATE TABLE staged_messages (
    tenant_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    staged_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, message)
  );
  CREATE INDEX staged_messages_age ON staged_messages (staged_at);
  ${tenantPolicy('staged_messages')}
`;

const reads = `
  -- Bytes of a message from a place on: p_length of them, or fewer where a piece ends; none behind its
  -- last; null where there is no such message.
  CREATE FUNCTION message_piece(p_tenant text, p_message text, p_start integer, p_length integer)
  RETURNS bytea LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN (SELECT substring(r.raw FROM p_start - r.start + 1 FOR p_length) FROM raw_messages r
      WHERE r.tenant_id = p_tenant AND r.message = p_message AND r.start <= p_start
      ORDER BY r.start DESC LIMIT 1);
  END $$;

  -- The message an attachment belongs to, its place among that message's, and where its bytes are.
  CREATE FUNCTION find_attachment(p_tenant text, p_mailbox text, p_id text)
  RETURNS TABLE (
    message text, filename text, mime_type text, size integer, place integer, source jsonb)
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT a.message, a.filename, a.mime_type, a.size_bytes, a.position, a.source FROM attachments a
      JOIN messages g ON g.tenant_id = a.tenant_id AND g.id = a.message
      JOIN mailboxes m ON m.tenant_id = g.tenant_id AND m.id = g.mailbox_id
      WHERE a.tenant_id = p_tenant AND a.id = p_id AND m.address = p_mailbox;
  END $$;
`;

/** What processes of the version before ask for: while they are replaced, they see messages whole. */
const readsBefore = `
  CREATE OR REPLACE FUNCTION message_bytes(p_tenant text, p_message text) RETURNS bytea
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN (SELECT string_agg(r.raw, '' ORDER BY r.start) FROM raw_messages r
      WHERE r.tenant_id = p_tenant AND r.message = p_message);
  END $$;

  CREATE OR REPLACE FUNCTION attachment_source(p_tenant text, p_mailbox text, p_id text)
  RETURNS TABLE (filename text, mime_type text, place integer, raw bytea)
  LANGUAGE sql STABLE AS $$
    SELECT a.filename, a.mime_type, a.place, message_bytes(p_tenant, a.message)
    FROM find_attachment(p_tenant, p_mailbox, p_id) a
  $$;
`;

const staging = `
  -- Keeps a piece of a message that may leave, each behind the one before it. The last one waits for
  -- the disk, and so for all of them: a server that went down in between has lost those behind some
  -- piece, and takes none that does not follow.
  CREATE FUNCTION stage_piece(
    p_tenant text, p_message text, p_start integer, p_last boolean, p_bytes bytea)
  RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    IF NOT p_last THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;
    IF p_start = 0 THEN
      INSERT INTO staged_messages (tenant_id, message) VALUES (p_tenant, p_message);
    ELSE
      -- Locked: who forgets it waits, and forgets this piece too.
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

  -- Forgets the pieces of a message that does not leave.
  CREATE FUNCTION unstage_message(p_tenant text, p_message text) RETURNS void
  LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    DELETE FROM staged_messages s WHERE s.tenant_id = p_tenant AND s.message = p_message;
    IF FOUND THEN
      DELETE FROM raw_messages r WHERE r.tenant_id = p_tenant AND r.message = p_message;
    END IF;
  END $$;

  -- reserved -> transmitting: from here on it may have left. A reply's Message-ID names its
  -- conversation from now on, so that an answer to it joins, even one that comes before the receipt.
  -- p_raw: null where its pieces are kept already.
  CREATE OR REPLACE FUNCTION begin_transmission(
    p_tenant text, p_mailbox text, p_key text, p_token text, p_lease interval,
    p_message text, p_outgoing jsonb, p_conversation text, p_raw bytea)
  RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    v_message_id text;
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    UPDATE send_reservations r SET state = 'transmitting', lease_until = now() + p_lease,
        message = p_message, outgoing = p_outgoing
      WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
        AND r.token = p_token AND r.state = 'reserved'
      RETURNING r.message_id INTO v_message_id;
    IF NOT FOUND THEN RETURN false; END IF;
    IF p_raw IS NULL THEN
      DELETE FROM staged_messages s WHERE s.tenant_id = p_tenant AND s.message = p_message;
      IF NOT FOUND THEN RAISE EXCEPTION 'the pieces of message % are gone', p_message; END IF;
    ELSE
      INSERT INTO raw_messages (tenant_id, message, trace, raw)
        VALUES (p_tenant, p_message, '', p_raw);
    END IF;
    IF p_conversation IS NOT NULL THEN
      INSERT INTO thread_ids AS t (tenant_id, mailbox_id, message_id, conversation_id)
        VALUES (p_tenant, p_mailbox, v_message_id, p_conversation)
        ON CONFLICT (tenant_id, mailbox_id, message_id)
          DO UPDATE SET conversation_id = excluded.conversation_id;
    END IF;
    RETURN true;
  END $$;
`;

const upkeep = `
  -- What processes that died have left staged, of every tenant: megabytes each, so few at a time.
  CREATE FUNCTION forget_staged() RETURNS bigint LANGUAGE sql AS $$
    WITH old AS (
      SELECT s.tenant_id, s.message FROM staged_messages s
      WHERE s.staged_at < now() - interval '1 hour' LIMIT 20 FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM staged_messages s USING old
      WHERE s.tenant_id = old.tenant_id AND s.message = old.message RETURNING s.*
    ), pieces AS (
      DELETE FROM raw_messages r USING gone
      WHERE r.tenant_id = gone.tenant_id AND r.message = gone.message
    ) SELECT count(*) FROM gone $$;
  ${visible('mail', 'staged_messages', 'SELECT, UPDATE, DELETE')}
  ${visible('mail', 'raw_messages', 'SELECT (tenant_id, message), DELETE')}
  ${lookupFunction('mail', 'forget_staged()')}
`;
