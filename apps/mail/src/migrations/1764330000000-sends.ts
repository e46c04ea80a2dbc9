import { lookupFunction, tenantPolicy, visible } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sends: reservations of Idempotency-Keys and what becomes of them (docs/adr/0027). */
export class Sends1764330000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tables);
    await runner.query(reads);
    await runner.query(steps);
    await runner.query(upkeep);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const tables = `
  CREATE TABLE send_reservations (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    idempotency_key text COLLATE "C" NOT NULL,
    state text COLLATE "C" NOT NULL
      CHECK (state IN ('reserved', 'transmitting', 'sent', 'failed', 'unknown')),
    -- Null: made where there is nothing that a request could be compared with.
    fingerprint text COLLATE "C",
    fingerprint_version smallint,
    -- The request on the bus that made it: a redelivery is told what that one was told.
    request text COLLATE "C" NOT NULL,
    -- Of the process that works on it: its steps are refused once another has the row.
    token text COLLATE "C" NOT NULL,
    -- Until when that process is believed to live; of an unknown one, when to look for it again.
    lease_until timestamptz NOT NULL,
    -- RFC 5322, without angle brackets.
    message_id text COLLATE "C" NOT NULL,
    -- From transmitting on: the message that it is or may become, whose bytes are in raw_messages,
    -- and what its receipt needs beside them.
    message text COLLATE "C",
    outgoing jsonb,
    -- What the mail server said: of a refusal, or of what was handed over without a last word.
    said jsonb,
    -- The receipt as it was first answered.
    receipt text,
    created_at timestamptz NOT NULL,
    -- An unknown one outlives it.
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, mailbox_id, idempotency_key),
    FOREIGN KEY (tenant_id, mailbox_id) REFERENCES mailboxes
  );
  CREATE INDEX send_reservations_open ON send_reservations (lease_until)
    WHERE state IN ('transmitting', 'unknown');
  CREATE INDEX send_reservations_expiry ON send_reservations (expires_at);
  ${tenantPolicy('send_reservations')}

  -- The bytes of a message that leaves are kept before it does, and its row only once it has.
  ALTER TABLE raw_messages DROP CONSTRAINT raw_messages_tenant_id_message_fkey;
`;

const reads = `
  -- What a message in a mailbox answers: the message that is named, or else the newest one of the
  -- conversation. is_there: whether the conversation is, if one is named.
  CREATE FUNCTION answered_message(p_tenant text, p_mailbox text, p_thread text, p_message text)
  RETURNS TABLE (is_there boolean, conversation_id text, message_id text, reference_ids text[])
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    IF p_thread IS NOT NULL AND NOT EXISTS (
      SELECT FROM conversations c
      WHERE c.tenant_id = p_tenant AND c.id = p_thread AND c.mailbox_id = p_mailbox) THEN
      RETURN QUERY SELECT false, NULL::text, NULL::text, NULL::text[];
      RETURN;
    END IF;
    RETURN QUERY
      SELECT true, found.conversation_id, found.message_id, found.reference_ids
      FROM (SELECT) one LEFT JOIN LATERAL (
        SELECT m.conversation_id, m.message_id, m.reference_ids FROM messages m
        WHERE m.tenant_id = p_tenant AND m.id = p_message AND m.mailbox_id = p_mailbox
          AND (p_thread IS NULL OR m.conversation_id = p_thread)
      UNION ALL (
        SELECT m.conversation_id, m.message_id, m.reference_ids FROM messages m
        WHERE m.tenant_id = p_tenant AND m.conversation_id = p_thread AND p_message IS NULL
          AND m.message_id IS NOT NULL
        ORDER BY m.received_at DESC, m.id DESC LIMIT 1)
      ) found ON true;
  END $$;

  -- Whether something that arrived names a message: who answers it, or reports on it, has had it.
  CREATE FUNCTION is_answered(p_tenant text, p_mailbox text, p_message_id text) RETURNS boolean
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN EXISTS (
      SELECT FROM thread_ids t
      JOIN messages m ON m.tenant_id = p_tenant AND m.conversation_id = t.conversation_id
      WHERE t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox AND t.message_id = p_message_id
        AND m.direction = 'inbound'
        AND (m.in_reply_to = p_message_id OR p_message_id = ANY (m.reference_ids)));
  END $$;

  -- A send to be looked after, and its mailbox.
  CREATE FUNCTION open_send(p_tenant text, p_mailbox text, p_key text)
  RETURNS TABLE (reservation send_reservations, mailbox mailboxes)
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY
      SELECT r, m FROM send_reservations r
      JOIN mailboxes m ON m.tenant_id = r.tenant_id AND m.id = r.mailbox_id
      WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
        AND r.state IN ('transmitting', 'unknown');
  END $$;

  CREATE FUNCTION message_bytes(p_tenant text, p_message text) RETURNS bytea
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN (SELECT r.raw FROM raw_messages r
      WHERE r.tenant_id = p_tenant AND r.message = p_message);
  END $$;
`;

/** Each in one trip, committed by itself. */
const steps = `
  -- Whether an Idempotency-Key that somebody has is free: its time is over, what had it was refused
  -- for good (but not to a redelivery of that same request), or its process died before it could have
  -- sent anything.
  CREATE FUNCTION is_free_again(r send_reservations, p_request text) RETURNS boolean
  LANGUAGE sql STABLE AS $$
    SELECT r.state = 'reserved' AND r.lease_until < now()
      OR r.state = 'failed' AND r.request <> p_request
      OR r.state = 'sent' AND r.expires_at < now() $$;

  -- Takes an Idempotency-Key, or says who has it: a repeat writes nothing. No row: there is no such
  -- mailbox.
  CREATE FUNCTION reserve_send(
    p_tenant text, p_address text, p_key text, p_fingerprint text, p_version smallint,
    p_request text, p_token text, p_message_id text, p_lease interval)
  RETURNS TABLE (taken boolean, reservation send_reservations, mailbox mailboxes)
  LANGUAGE plpgsql AS $$
  DECLARE
    v_mailbox mailboxes;
    v_found send_reservations;
  BEGIN
    -- A reservation that a crash of the database loses is one of a message that has not left.
    PERFORM set_config('postroom.tenant', p_tenant, true),
      set_config('synchronous_commit', 'off', true);
    SELECT * INTO v_mailbox FROM mailboxes m
      WHERE m.tenant_id = p_tenant AND m.address = p_address;
    IF NOT FOUND THEN RETURN; END IF;
    -- Again, where another takes the key in between, or gives it back.
    FOR attempt IN 1..3 LOOP
      SELECT * INTO v_found FROM send_reservations r
        WHERE r.tenant_id = p_tenant AND r.mailbox_id = v_mailbox.id AND r.idempotency_key = p_key;
      IF FOUND AND NOT is_free_again(v_found, p_request) THEN
        RETURN QUERY SELECT false, v_found, v_mailbox;
        RETURN;
      END IF;
      INSERT INTO send_reservations AS r (tenant_id, mailbox_id, idempotency_key, state, fingerprint,
          fingerprint_version, request, token, lease_until, message_id, created_at, expires_at)
        VALUES (p_tenant, v_mailbox.id, p_key, 'reserved', p_fingerprint, p_version, p_request,
          p_token, now() + p_lease, p_message_id, now(), now() + interval '7 days')
        ON CONFLICT (tenant_id, mailbox_id, idempotency_key) DO UPDATE
          SET state = 'reserved', fingerprint = excluded.fingerprint,
            fingerprint_version = excluded.fingerprint_version, request = excluded.request,
            token = excluded.token, lease_until = excluded.lease_until,
            message_id = excluded.message_id, message = NULL, outgoing = NULL, said = NULL,
            receipt = NULL, created_at = excluded.created_at, expires_at = excluded.expires_at
          WHERE is_free_again(r, p_request)
        RETURNING * INTO v_found;
      IF FOUND THEN
        RETURN QUERY SELECT true, v_found, v_mailbox;
        RETURN;
      END IF;
    END LOOP;
    RAISE lock_not_available;
  END $$;

  CREATE FUNCTION find_send(p_tenant text, p_mailbox text, p_key text)
  RETURNS SETOF send_reservations LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN QUERY SELECT r.* FROM send_reservations r
      WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key;
  END $$;

  -- Gives a key back as if it had never been taken: nothing was sent, and nothing is to be told.
  CREATE FUNCTION release_send(p_tenant text, p_mailbox text, p_key text, p_token text)
  RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    DELETE FROM send_reservations r
      WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
        AND r.token = p_token AND r.state = 'reserved';
    RETURN FOUND;
  END $$;

  -- reserved -> transmitting: from here on it may have left. A reply's Message-ID names its
  -- conversation from now on, so that an answer to it joins, even one that comes before the receipt.
  CREATE FUNCTION begin_transmission(
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
    INSERT INTO raw_messages (tenant_id, message, trace, raw)
      VALUES (p_tenant, p_message, '', p_raw);
    IF p_conversation IS NOT NULL THEN
      INSERT INTO thread_ids AS t (tenant_id, mailbox_id, message_id, conversation_id)
        VALUES (p_tenant, p_mailbox, v_message_id, p_conversation)
        ON CONFLICT (tenant_id, mailbox_id, message_id)
          DO UPDATE SET conversation_id = excluded.conversation_id;
    END IF;
    RETURN true;
  END $$;

  -- Locks a send that has left, and the conversation that its message belongs to: the one it was sent
  -- in, or where its own id, or an answer to it, belongs. Of one that has its receipt already, that.
  CREATE FUNCTION place_sent(
    p_tenant text, p_mailbox text, p_key text, p_conversation text, p_candidate text,
    p_message_id text, p_ancestors text[], p_subject text, p_at timestamptz)
  RETURNS TABLE (state text, receipt text, conversation conversations) LANGUAGE plpgsql AS $$
  DECLARE
    v_state text;
    v_receipt text;
    v_conversation text := p_conversation;
  BEGIN
    SELECT r.state, r.receipt INTO v_state, v_receipt FROM send_reservations r
      WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
      FOR UPDATE;
    IF v_state IN ('transmitting', 'unknown') THEN
      IF v_conversation IS NULL THEN
        SELECT p.conversation_id INTO v_conversation FROM place_message(
          p_tenant, p_mailbox, p_message_id, '', p_ancestors, p_candidate, p_subject, p_at) p;
      END IF;
      RETURN QUERY SELECT v_state, v_receipt, c FROM conversations c
        WHERE c.tenant_id = p_tenant AND c.id = v_conversation FOR UPDATE;
    ELSE
      RETURN QUERY SELECT v_state, v_receipt, NULL::conversations;
    END IF;
  END $$;

  -- Whoever works on it lives.
  CREATE FUNCTION renew_send(p_tenant text, p_mailbox text, p_key text, p_token text, p_lease interval)
  RETURNS boolean LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    UPDATE send_reservations r SET lease_until = now() + p_lease
      WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
        AND r.token = p_token AND r.state IN ('reserved', 'transmitting');
    RETURN FOUND;
  END $$;

  -- -> failed: it is certain that nothing was handed over, so nothing of the message stays.
  CREATE FUNCTION fail_send(p_tenant text, p_mailbox text, p_key text, p_token text, p_said jsonb)
  RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE
    v_failed send_reservations;
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    UPDATE send_reservations r SET state = 'failed', said = p_said, outgoing = NULL
      WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
        AND r.token = p_token AND r.state IN ('reserved', 'transmitting', 'unknown')
      RETURNING r.* INTO v_failed;
    IF NOT FOUND THEN RETURN false; END IF;
    DELETE FROM raw_messages m WHERE m.tenant_id = p_tenant AND m.message = v_failed.message;
    DELETE FROM thread_ids t WHERE t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox
      AND t.message_id = v_failed.message_id;
    RETURN true;
  END $$;
`;

const upkeep = `
  -- Sends to be looked after: those whose process is gone, and unknown ones whose time has come
  -- again. Taken for a while, so that each is looked after by one process; the older an unknown one
  -- is, the longer until the next time.
  CREATE FUNCTION take_open_sends(p_limit integer)
  RETURNS TABLE (tenant_id text, mailbox_id text, idempotency_key text) LANGUAGE sql AS $$
    WITH due AS (
      SELECT r.tenant_id, r.mailbox_id, r.idempotency_key FROM send_reservations r
      WHERE r.state IN ('transmitting', 'unknown') AND r.lease_until < now()
      ORDER BY r.lease_until LIMIT p_limit FOR UPDATE SKIP LOCKED
    )
    UPDATE send_reservations r SET lease_until = now() + CASE r.state
        WHEN 'transmitting' THEN interval '0'
        ELSE least(interval '10 minutes', greatest(interval '2 seconds', (now() - r.created_at) / 10))
      END
      FROM due WHERE r.tenant_id = due.tenant_id AND r.mailbox_id = due.mailbox_id
        AND r.idempotency_key = due.idempotency_key
      RETURNING r.tenant_id, r.mailbox_id, r.idempotency_key $$;
  ${visible(
    'mail',
    'send_reservations',
    `SELECT (tenant_id, mailbox_id, idempotency_key, state, lease_until, created_at, expires_at),
     UPDATE (lease_until), DELETE`,
  )}
  ${lookupFunction('mail', 'take_open_sends(integer)')}

  -- Forgets what is past its seven days, of every tenant, a batch at a time; never an unknown one.
  CREATE FUNCTION forget_sends() RETURNS bigint LANGUAGE sql AS $$
    WITH old AS (
      SELECT r.tenant_id, r.mailbox_id, r.idempotency_key FROM send_reservations r
      WHERE r.expires_at < now() AND r.state IN ('reserved', 'sent', 'failed') LIMIT 1000
    ), gone AS (
      DELETE FROM send_reservations r USING old
      WHERE r.tenant_id = old.tenant_id AND r.mailbox_id = old.mailbox_id
        AND r.idempotency_key = old.idempotency_key
        AND r.expires_at < now() AND r.state IN ('reserved', 'sent', 'failed') RETURNING 1
    ) SELECT count(*) FROM gone $$;
  ${lookupFunction('mail', 'forget_sends()')}
`;
