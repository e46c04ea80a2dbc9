CREATE OR REPLACE FUNCTION find_send(p_tenant text, p_mailbox text, p_key text)
RETURNS SETOF send_reservations LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT r.* FROM send_reservations r
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key;
END $$;

-- Finds the message that is answered: the one that is named, in whatever conversation, or else the
-- newest one of the conversation. is_there: whether the conversation is, if one is named.
CREATE OR REPLACE FUNCTION answered_message(
  p_tenant text, p_mailbox text, p_thread text, p_message text)
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
    UNION ALL (
      SELECT m.conversation_id, m.message_id, m.reference_ids FROM messages m
      WHERE m.tenant_id = p_tenant AND m.conversation_id = p_thread AND p_message IS NULL
        AND m.message_id IS NOT NULL
      ORDER BY m.received_at DESC, m.id DESC LIMIT 1)
    ) found ON true;
END $$;

-- Answers true if a received message names a message, since its author, who answers or reports on it, has had it; or
-- is a copy of it.
CREATE OR REPLACE FUNCTION is_answered(p_tenant text, p_mailbox text, p_message_id text)
RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN EXISTS (
    SELECT FROM thread_ids t
    JOIN messages m ON m.tenant_id = p_tenant AND m.conversation_id = t.conversation_id
    WHERE t.tenant_id = p_tenant AND t.mailbox_id = p_mailbox AND t.message_id = p_message_id
      AND m.direction = 'inbound'
      AND (m.message_id = p_message_id OR m.in_reply_to = p_message_id
        OR p_message_id = ANY (m.reference_ids)));
END $$;

-- A send to be looked after, and its mailbox.
CREATE OR REPLACE FUNCTION open_send(p_tenant text, p_mailbox text, p_key text)
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

-- Sends whose outcome is unknown, newest first, with each how many there are.
CREATE OR REPLACE FUNCTION list_unknown_sends(p_tenant text, p_limit integer)
RETURNS TABLE (reservation send_reservations, address text, total float8)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT r, m.address, (count(*) OVER ())::float8 FROM send_reservations r
    JOIN mailboxes m ON m.tenant_id = r.tenant_id AND m.id = r.mailbox_id
    WHERE r.tenant_id = p_tenant AND r.state = 'unknown'
    ORDER BY r.created_at DESC LIMIT p_limit;
END $$;

-- The steps of a send: each is one round trip, committed by itself.

-- Answers true if a reserved Idempotency-Key is free again: it has expired, its request was refused for good
-- (but not to a redelivery of that same request), or its process died before it could have sent anything.
CREATE OR REPLACE FUNCTION is_free_again(r send_reservations, p_request text) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT r.state = 'reserved' AND r.lease_until < now()
    OR r.state = 'failed' AND r.request <> p_request
    OR r.state = 'sent' AND r.expires_at < now()
$$;

-- The seconds that an API key has to wait before it may reserve another send; null: none. Until the commit
-- it reserves no other one. A second less than a minute, since one request takes longer from its gateway than
-- another: what a single gateway has let through is not refused.
CREATE OR REPLACE FUNCTION seconds_until_send(p_tenant text, p_api_key text, p_limit integer)
RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  PERFORM take_lock('mail.sends ' || p_api_key);
  RETURN (
    SELECT ceil(extract(epoch FROM r.created_at + interval '59 seconds' - now()))
    FROM send_reservations r
    WHERE r.tenant_id = p_tenant AND r.api_key = p_api_key
      AND r.created_at > now() - interval '59 seconds'
    ORDER BY r.created_at DESC OFFSET p_limit - 1 LIMIT 1);
END $$;

-- Takes an Idempotency-Key, or says who has it: a repeat writes nothing. No row: there is no such mailbox.
-- Neither taken nor had: the API key (null: a member's send, which has no limit) has to wait.
CREATE OR REPLACE FUNCTION reserve_send_within(
  p_tenant text, p_address text, p_key text, p_fingerprint text, p_version smallint,
  p_request text, p_token text, p_message_id text, p_lease interval, p_api_key text, p_limit integer)
RETURNS TABLE (
  taken boolean, reservation send_reservations, mailbox mailboxes, wait_seconds integer)
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
  -- Repeated if another request takes or releases the key in between.
  FOR attempt IN 1..3 LOOP
    SELECT * INTO v_found FROM send_reservations r
      WHERE r.tenant_id = p_tenant AND r.mailbox_id = v_mailbox.id AND r.idempotency_key = p_key;
    IF FOUND AND NOT is_free_again(v_found, p_request) THEN
      RETURN QUERY SELECT false, v_found, v_mailbox, NULL::integer;
      RETURN;
    END IF;
    wait_seconds := CASE WHEN p_api_key IS NOT NULL
      THEN seconds_until_send(p_tenant, p_api_key, p_limit) END;
    IF wait_seconds IS NOT NULL THEN
      RETURN QUERY SELECT false, NULL::send_reservations, v_mailbox, wait_seconds;
      RETURN;
    END IF;
    INSERT INTO send_reservations AS r (tenant_id, mailbox_id, idempotency_key, api_key, state,
        fingerprint, fingerprint_version, request, token, lease_until, message_id, created_at,
        expires_at)
      VALUES (p_tenant, v_mailbox.id, p_key, p_api_key, 'reserved', p_fingerprint, p_version,
        p_request, p_token, now() + p_lease, p_message_id, now(), now() + interval '7 days')
      ON CONFLICT (tenant_id, mailbox_id, idempotency_key) DO UPDATE
        SET state = 'reserved', api_key = excluded.api_key, fingerprint = excluded.fingerprint,
          fingerprint_version = excluded.fingerprint_version, request = excluded.request,
          token = excluded.token, lease_until = excluded.lease_until,
          message_id = excluded.message_id, seen_at = NULL, message = NULL, outgoing = NULL, said = NULL,
          receipt = NULL, created_at = excluded.created_at, expires_at = excluded.expires_at
        WHERE is_free_again(r, p_request)
      RETURNING * INTO v_found;
    IF FOUND THEN
      RETURN QUERY SELECT true, v_found, v_mailbox, NULL::integer;
      RETURN;
    END IF;
  END LOOP;
  RAISE lock_not_available;
END $$;

-- Releases a key as if it had never been taken: nothing was sent, and nothing is recorded.
CREATE OR REPLACE FUNCTION release_send(p_tenant text, p_mailbox text, p_key text, p_token text)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  DELETE FROM send_reservations r
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
      AND r.token = p_token AND r.state = 'reserved';
  RETURN FOUND;
END $$;

-- reserved -> transmitting: from here on it may have left. A reply's Message-ID names its conversation from
-- now on, so that an answer to it joins, even one that comes before the receipt. p_raw: null where its
-- pieces are kept already.
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

-- Locks a send that has left, and the conversation that its message belongs to: the one it was sent in, or
-- where its own id, or an answer to it, belongs. Of one that has its receipt already, that.
--
-- The conversation's lock lets rows that name it be inserted: a draft names its conversation first (a
-- foreign key's KEY SHARE) and counts itself there then, so that two drafts and a receipt that locked the
-- whole row waited for each other.
CREATE OR REPLACE FUNCTION place_sent(
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
    -- Its conversation may have been deleted meanwhile.
    IF v_conversation IS NULL OR NOT EXISTS (
      SELECT FROM conversations c WHERE c.tenant_id = p_tenant AND c.id = v_conversation) THEN
      SELECT p.conversation_id INTO v_conversation FROM place_message(
        p_tenant, p_mailbox, p_message_id, '', p_ancestors, p_candidate, p_subject, p_at) p;
    END IF;
    RETURN QUERY SELECT v_state, v_receipt, c FROM conversations c
      WHERE c.tenant_id = p_tenant AND c.id = v_conversation FOR NO KEY UPDATE;
  ELSE
    RETURN QUERY SELECT v_state, v_receipt, NULL::conversations;
  END IF;
END $$;

-- Renews the lease of the process that works on it.
CREATE OR REPLACE FUNCTION renew_send(
  p_tenant text, p_mailbox text, p_key text, p_token text, p_lease interval)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  UPDATE send_reservations r SET lease_until = now() + p_lease
    WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
      AND r.token = p_token AND r.state IN ('reserved', 'transmitting');
  RETURN FOUND;
END $$;

-- -> failed: it is certain that nothing was handed over, so nothing of the message stays.
CREATE OR REPLACE FUNCTION fail_send(
  p_tenant text, p_mailbox text, p_key text, p_token text, p_said jsonb)
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

-- Sends to be looked after: those whose process is gone, and unknown ones whose time has come again. Taken
-- for a while, so that each is looked after by one process; the older an unknown one is, the longer until
-- the next time. The lease of one whose process is gone stays past, also to a transaction that began before
-- this one, which answered its caller that a process works on it.
CREATE OR REPLACE FUNCTION take_open_sends(p_limit integer)
RETURNS TABLE (tenant_id text, mailbox_id text, idempotency_key text) LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH due AS (
    SELECT r.tenant_id, r.mailbox_id, r.idempotency_key FROM send_reservations r
    WHERE r.state IN ('transmitting', 'unknown') AND r.lease_until < now()
    ORDER BY r.lease_until LIMIT p_limit FOR UPDATE SKIP LOCKED
  )
  UPDATE send_reservations r SET lease_until = now() + CASE r.state
      WHEN 'transmitting' THEN interval '-1 second'
      ELSE least(interval '10 minutes', greatest(interval '2 seconds', (now() - r.created_at) / 10))
    END
    FROM due WHERE r.tenant_id = due.tenant_id AND r.mailbox_id = due.mailbox_id
      AND r.idempotency_key = due.idempotency_key
    RETURNING r.tenant_id, r.mailbox_id, r.idempotency_key
$$;

-- Deletes what is past its seven days, of every tenant, a batch at a time; never an unknown one.
CREATE OR REPLACE FUNCTION purge_sends() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT r.tenant_id, r.mailbox_id, r.idempotency_key FROM send_reservations r
    WHERE r.expires_at < now() AND r.state IN ('reserved', 'sent', 'failed') LIMIT 1000
  ), deleted AS (
    DELETE FROM send_reservations r USING old
    WHERE r.tenant_id = old.tenant_id AND r.mailbox_id = old.mailbox_id
      AND r.idempotency_key = old.idempotency_key
      AND r.expires_at < now() AND r.state IN ('reserved', 'sent', 'failed') RETURNING 1
  ) SELECT count(*) FROM deleted
$$;

-- The number of sends of every tenant whose outcome is unknown, 10,000 at most, and the age of the oldest.
CREATE OR REPLACE FUNCTION unknown_sends_waiting()
RETURNS TABLE (sends float8, oldest_seconds float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off AS $$
  SELECT count(*)::float8, coalesce(extract(epoch FROM now() - min(u.created_at)), 0)::float8
  FROM (
    SELECT r.created_at FROM send_reservations r
    WHERE r.state IN ('transmitting', 'unknown') AND r.state = 'unknown' LIMIT 10000) u
$$;
