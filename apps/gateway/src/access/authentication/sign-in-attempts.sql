-- Seconds until every one of these names has room again; null while they have.
CREATE OR REPLACE FUNCTION sign_in_wait(p_names text[], p_limits integer[], p_now timestamptz)
RETURNS float8 LANGUAGE sql STABLE AS $$
  SELECT max(extract(epoch FROM recent.times[cardinality(recent.times) - n.most + 1]
    + interval '1 minute' - p_now))::float8
  FROM unnest(p_names, p_limits) AS n (name, most)
  JOIN sign_in_attempts a ON a.name = n.name
  CROSS JOIN LATERAL (SELECT ARRAY(
    SELECT t FROM unnest(a.times) t WHERE t > p_now - interval '1 minute' ORDER BY t) AS times) recent
  WHERE cardinality(recent.times) >= n.most
$$;

-- Counts an attempt under each of the names, while all have room; returns under which time, or how long to
-- wait. A refused attempt takes one look, which locks and writes nothing.
CREATE OR REPLACE FUNCTION begin_sign_in(p_names text[], p_limits integer[])
RETURNS TABLE (began timestamptz, wait_seconds float8) LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_wait float8 := sign_in_wait(p_names, p_limits, clock_timestamp());
  v_now timestamptz;
BEGIN
  IF v_wait IS NULL THEN
    -- In one order, that of the column, so that two who share a name never wait for each other.
    INSERT INTO sign_in_attempts AS a (name, times, expires_at)
      SELECT n.name, '{}', now() + interval '1 minute' FROM unnest(p_names) AS n (name)
      ORDER BY n.name COLLATE "C"
      ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at;
    v_now := clock_timestamp();
    v_wait := sign_in_wait(p_names, p_limits, v_now);
  END IF;
  IF v_wait IS NULL THEN
    UPDATE sign_in_attempts a SET expires_at = v_now + interval '1 minute', times = ARRAY(
        SELECT t FROM unnest(a.times || v_now) t WHERE t > v_now - interval '1 minute' ORDER BY t)
      WHERE a.name = ANY (p_names);
  END IF;
  RETURN QUERY SELECT v_now, v_wait;
END $$;

-- Takes out an attempt that succeeded.
CREATE OR REPLACE FUNCTION pass_sign_in(p_names text[], p_began timestamptz) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH locked AS (
    SELECT name FROM sign_in_attempts WHERE name = ANY (p_names) ORDER BY name FOR UPDATE
  )
  UPDATE sign_in_attempts a SET times = array_remove(a.times, p_began)
  FROM locked WHERE a.name = locked.name
$$;

CREATE OR REPLACE FUNCTION purge_sign_in_attempts() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH old AS (
    SELECT name FROM sign_in_attempts WHERE expires_at < now() LIMIT 1000
  ), deleted AS (
    DELETE FROM sign_in_attempts a USING old
    WHERE a.name = old.name AND a.expires_at < now() RETURNING 1
  ) SELECT count(*) FROM deleted
$$;

-- Those of these names, each of a member and a network, that a sign-in has come from in the last 30 days.
CREATE OR REPLACE FUNCTION known_networks_of(p_names text[]) RETURNS SETOF text LANGUAGE sql STABLE
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  SELECT k.name FROM known_networks k WHERE k.name = ANY (p_names) AND k.expires_at > now()
$$;

CREATE OR REPLACE FUNCTION know_network(p_name text) RETURNS void LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  INSERT INTO known_networks AS k (name, expires_at) VALUES (p_name, now() + interval '30 days')
  ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at
    -- Once a day is enough.
    WHERE k.expires_at < now() + interval '29 days'
$$;

CREATE OR REPLACE FUNCTION purge_known_networks() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  WITH deleted AS (
    DELETE FROM known_networks k WHERE k.name = ANY (ARRAY(
      SELECT o.name FROM known_networks o WHERE o.expires_at < now() LIMIT 1000)) RETURNING 1
  ) SELECT count(*) FROM deleted
$$;
