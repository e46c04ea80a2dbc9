-- Moves what has happened into the counters, of every tenant, a batch at a time, in one statement: a
-- reader sees it in one place or the other. One call at a time does it; a concurrent one has nothing to do.
CREATE OR REPLACE FUNCTION fold_volumes() RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_folded bigint;
BEGIN
  IF NOT try_turn('fold_volumes') THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM volume_deltas
    WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM volume_deltas d LIMIT 10000))
    RETURNING *
  ), counted AS (
    INSERT INTO volumes AS v (tenant_id, quarter, kind, scope, amount)
    SELECT t.tenant_id, date_bin('15 minutes', t.at, 'epoch'), t.kind, t.scope, sum(t.amount)
    FROM taken t GROUP BY 1, 2, 3, 4
    ON CONFLICT (tenant_id, quarter, kind, scope)
      DO UPDATE SET amount = v.amount + excluded.amount
  )
  SELECT count(*) INTO v_folded FROM taken;
  RETURN v_folded;
END $$;

-- Volumes of the days p_from to p_to in a time zone, counters and what is not in them yet: of each kind
-- by day, by scope, and altogether (both null). A time belongs to the day that the zone's clocks show then,
-- so that no day is counted twice or left out when they change.
CREATE OR REPLACE FUNCTION volumes_of(p_tenant text, p_from date, p_to date, p_zone text)
RETURNS TABLE (kind text, day date, scope text, amount bigint) LANGUAGE plpgsql STABLE AS $$
DECLARE
  -- No zone is a whole day away from UTC.
  v_since timestamptz := (p_from - 1)::timestamp AT TIME ZONE 'UTC';
  v_until timestamptz := (p_to + 2)::timestamp AT TIME ZONE 'UTC';
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT here.kind, here.day, here.scope, sum(here.amount)::bigint
    FROM (
      SELECT v.kind, (v.quarter AT TIME ZONE p_zone)::date AS day, v.scope, v.amount
      FROM volumes v
      WHERE v.tenant_id = p_tenant AND v.quarter >= v_since AND v.quarter < v_until
      UNION ALL
      SELECT d.kind, (d.at AT TIME ZONE p_zone)::date, d.scope, d.amount
      FROM volume_deltas d
      WHERE d.tenant_id = p_tenant AND d.at >= v_since AND d.at < v_until
    ) here
    WHERE here.day BETWEEN p_from AND p_to
    GROUP BY GROUPING SETS ((here.kind, here.day), (here.kind, here.scope), (here.kind));
END $$;
