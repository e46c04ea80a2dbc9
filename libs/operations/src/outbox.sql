-- Leases free shards that have events, those served longest ago first, and returns their oldest events:
-- resources by their oldest event, a resource's events by sequence, as many as it has among the shard's
-- oldest p_rows, and no more once a shard's are 256 KiB: a relay holds them in memory. A shard that was
-- emptied in this moment is returned without events; it has to be released all the same.
--
-- Plans are made while the queue is empty and kept while it fills: hence no sequential scans.
CREATE OR REPLACE FUNCTION lease_outbox(
  p_owner text, p_lease_ms integer, p_shards integer, p_rows integer)
RETURNS TABLE (shard smallint, token bigint, event_id text, type text, tenant_id text,
  resource text, envelope text, traceparent text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_shards smallint[];
BEGIN
  v_shards := ARRAY(
    SELECT s.shard FROM outbox_shards s
    WHERE s.free_at <= now()
      AND EXISTS (SELECT FROM outbox o WHERE o.shard = s.shard AND o.refusal IS NULL)
    ORDER BY s.free_at, s.shard LIMIT p_shards FOR UPDATE SKIP LOCKED);
  IF cardinality(v_shards) = 0 THEN RETURN; END IF;
  UPDATE outbox_shards s SET owner = p_owner, token = s.token + 1,
      free_at = clock_timestamp() + p_lease_ms * interval '1 ms'
    WHERE s.shard = ANY (v_shards);
  -- A statement of its own: it sees what the shards' last owners deleted before they released them.
  RETURN QUERY
    SELECT s.shard, s.token, e.event_id, e.type, e.tenant_id, e.resource, e.envelope, e.traceparent
    FROM outbox_shards s LEFT JOIN LATERAL (
      SELECT o.*, r.oldest,
        sum(octet_length(o.envelope)) OVER (ORDER BY r.oldest, o.sequence) AS bytes
      FROM (
        SELECT w.tenant_id, w.resource, min(w.position) AS oldest, count(*) AS rows FROM (
          SELECT o.tenant_id, o.resource, o.position FROM outbox o
          WHERE o.shard = s.shard AND o.refusal IS NULL ORDER BY o.position LIMIT p_rows) w
        GROUP BY w.tenant_id, w.resource) r
      CROSS JOIN LATERAL (
        SELECT * FROM outbox o
        WHERE o.tenant_id = r.tenant_id AND o.resource = r.resource AND o.refusal IS NULL
        ORDER BY o.sequence LIMIT r.rows) o) e
    ON e.bytes - octet_length(e.envelope) < 262144
    WHERE s.shard = ANY (v_shards)
    ORDER BY s.shard, e.oldest, e.sequence;
END $$;

-- Moves what was published to the published events, parks what was refused with its cause, and releases
-- the shards: only in shards whose token is still the one given. Returns how many those are.
CREATE OR REPLACE FUNCTION complete_batch(p_shards smallint[], p_tokens bigint[], p_published text[],
  p_refused text[], p_causes text[], p_more boolean)
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  v_owned smallint[];
BEGIN
  v_owned := ARRAY(
    SELECT s.shard FROM outbox_shards s
    JOIN unnest(p_shards, p_tokens) AS leased (shard, token)
      ON leased.shard = s.shard AND leased.token = s.token
    ORDER BY s.shard FOR UPDATE OF s);
  WITH published AS (
    DELETE FROM outbox o WHERE o.event_id = ANY (p_published) AND o.shard = ANY (v_owned) RETURNING o.*
  )
  INSERT INTO published_events (slot, tenant_id, event_id, type, resource, sequence, envelope, created_at)
  SELECT floor(extract(epoch FROM now()) / 86400)::bigint % 10, p.tenant_id, p.event_id, p.type,
    p.resource, p.sequence, p.envelope, p.created_at FROM published p;
  UPDATE outbox o SET refusal = refused.cause
    FROM unnest(p_refused, p_causes) AS refused (id, cause)
    WHERE o.event_id = refused.id AND o.shard = ANY (v_owned);
  UPDATE outbox_shards s SET owner = NULL, free_at = now() WHERE s.shard = ANY (v_owned);
  IF p_more THEN PERFORM pg_notify('postroom_outbox_' || current_schema(), ''); END IF;
  RETURN cardinality(v_owned);
END $$;

-- The age in seconds of the oldest event that waits to be published; null when none waits. It looks at the oldest
-- event of each shard, so that it costs the same however many wait.
CREATE OR REPLACE FUNCTION outbox_waiting() RETURNS float8
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  SELECT extract(epoch FROM now() - min(o.created_at))::float8
  FROM generate_series(0, 15) AS s (shard) CROSS JOIN LATERAL (
    SELECT w.created_at FROM outbox w
    WHERE w.shard = s.shard AND w.refusal IS NULL ORDER BY w.position LIMIT 1) o
$$;

-- The number of events that the bus has refused.
CREATE OR REPLACE FUNCTION count_parked() RETURNS float8
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT count(*)::float8 FROM outbox o WHERE o.refusal IS NOT NULL
$$;

-- The oldest events that the bus has refused. Their payload is not for an operator to read.
CREATE OR REPLACE FUNCTION parked_events(p_limit integer)
RETURNS TABLE (id text, type text, tenant_id text, resource text, sequence float8,
  created_at timestamptz, refusal text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT o.event_id, o.type, o.tenant_id, o.resource, o.sequence::float8, o.created_at, o.refusal
  FROM outbox o WHERE o.refusal IS NOT NULL ORDER BY o.position LIMIT p_limit
$$;

-- Lets all of them be published once more, and returns how many they are; relays are woken.
CREATE OR REPLACE FUNCTION release_parked() RETURNS float8 LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_released bigint;
BEGIN
  UPDATE outbox SET refusal = NULL WHERE refusal IS NOT NULL;
  GET DIAGNOSTICS v_released = ROW_COUNT;
  IF v_released > 0 THEN PERFORM pg_notify('postroom_outbox_' || current_schema(), ''); END IF;
  RETURN v_released;
END $$;

-- Empties those slots of a ring that hold none of the days or weeks from p_first to p_last.
CREATE OR REPLACE FUNCTION empty_slots(p_table text, p_slots integer, p_first bigint, p_last bigint)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_slot integer;
  v_filled boolean;
BEGIN
  -- Another replica is at it, or a long query reads the slot: the next minute will do.
  PERFORM set_config('lock_timeout', '2s', true);
  FOR v_slot IN SELECT s FROM generate_series(0, p_slots - 1) s
    WHERE NOT EXISTS (SELECT FROM generate_series(p_first, p_last) kept WHERE kept % p_slots = s)
  LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', p_table || '_' || v_slot) INTO v_filled;
    IF v_filled THEN EXECUTE format('TRUNCATE %I', p_table || '_' || v_slot); END IF;
  END LOOP;
END $$;

-- Takes events back into the outbox that were published in that time, and returns how many they are: they
-- leave once more, a resource's in their order. What is in the outbox already stays as it is.
CREATE OR REPLACE FUNCTION replay_published(p_since timestamptz) RETURNS float8 LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_replayed bigint;
BEGIN
  WITH taken AS (
    DELETE FROM published_events WHERE published_at >= p_since RETURNING *
  )
  INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope, created_at)
  SELECT tenant_id, event_id, type, resource, sequence, envelope, created_at
  FROM taken ORDER BY published_at, sequence;
  GET DIAGNOSTICS v_replayed = ROW_COUNT;
  IF v_replayed > 0 THEN PERFORM pg_notify('postroom_outbox_' || current_schema(), ''); END IF;
  RETURN v_replayed;
END $$;

-- Drops events that were published more than 7 days ago.
CREATE OR REPLACE FUNCTION empty_published() RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_today bigint := floor(extract(epoch FROM now()) / 86400);
BEGIN
  -- Tomorrow's slot too, whose first events may be written while this looks.
  PERFORM empty_slots('published_events', 10, v_today - 7, v_today + 1);
  RETURN 0;
END $$;
