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
