-- Claims deliveries that are due, at most p_limit, and counts an attempt of each before anything is
-- sent: a crash after it counts as an attempt. Deliveries that another process has claimed are skipped.
--
-- Workspaces take turns, and so do the subscriptions of a workspace. p_keys ("tenant/subscription"),
-- p_under_way and p_allowed give the deliveries that a subscription has in progress in this process, and may
-- have; p_usual is the limit of all others. A workspace has at most p_tenant_max in progress in this process, of which
-- one place is kept for each of its subscriptions, so that endpoints that hang leave a slot to the others.
--
-- `cut`: the attempt before never ended, since its process did; it counts, and there is no new one.
-- `waited_ms`: time since it was due and its subscription active.
DROP FUNCTION IF EXISTS take_deliveries(integer, integer, integer, integer, text[], integer[], integer[]);
CREATE OR REPLACE FUNCTION take_deliveries(
  p_limit integer, p_usual integer, p_tenant_max integer, p_lease_ms integer, p_keys text[],
  p_under_way integer[], p_allowed integer[])
RETURNS TABLE (week smallint, tenant_id text, id text, subscription_id text, event_id text,
  redelivery integer, name text, resource text, attempt smallint, first boolean, lease bigint, cut boolean,
  url text, sealed_secret text, sealed_previous text, sealed_oldest text, key_id text, cursor_event text,
  envelope text, traceparent text, recorded_at timestamptz, waited_ms float8, started_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
-- A plan over all partitions takes longer to make than to run: it is made once a connection.
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_lease bigint := nextval('delivery_leases');
BEGIN
  RETURN QUERY
  WITH RECURSIVE busy AS (
    SELECT b.key, b.under_way, b.allowed FROM unnest(p_keys, p_under_way, p_allowed)
      AS b (key, under_way, allowed)
  ), waiting AS (
    -- One step an index entry of each subscription, however many deliveries wait.
    (SELECT d.tenant_id AS tenant, d.subscription_id AS subscription FROM deliveries d
      WHERE d.status = 'pending' AND NOT d.held ORDER BY d.tenant_id, d.subscription_id LIMIT 1)
    UNION ALL
    SELECT n.tenant, n.subscription FROM waiting w CROSS JOIN LATERAL (
      SELECT d.tenant_id AS tenant, d.subscription_id AS subscription FROM deliveries d
      WHERE d.status = 'pending' AND NOT d.held
        AND (d.tenant_id, d.subscription_id) > (w.tenant, w.subscription)
      ORDER BY d.tenant_id, d.subscription_id LIMIT 1) n
  ), tenants AS (
    SELECT split_part(b.key, '/', 1) AS tenant, sum(b.under_way) AS under_way FROM busy b GROUP BY 1
  ), due AS (
    SELECT d.*, s.tenant_id AS tenant, coalesce(t.under_way, 0) AS tenant_under_way,
      coalesce(b.under_way, 0) + row_number() OVER (PARTITION BY s.tenant_id, s.id ORDER BY d.next_at) AS nth
    FROM waiting w
    JOIN subscriptions s ON s.tenant_id = w.tenant AND s.id = w.subscription AND s.status = 'active'
      AND coalesce(s.expires_at > now(), true)
    LEFT JOIN busy b ON b.key = s.tenant_id || '/' || s.id
    LEFT JOIN tenants t ON t.tenant = s.tenant_id
    CROSS JOIN LATERAL (
      SELECT q.week, q.event_id, q.subscription_id, q.redelivery, q.next_at, q.lease IS NOT NULL AS cut,
        q.leased_at AS cut_at
      FROM deliveries q
      WHERE q.tenant_id = s.tenant_id AND q.subscription_id = s.id AND q.status = 'pending' AND NOT q.held
        AND q.next_at <= now() AND q.created_at >= s.active_since
        AND (q.lease IS NULL OR q.leased_at <= now() - p_lease_ms * interval '1 ms')
      ORDER BY q.next_at
      LIMIT greatest(0, least(p_limit, coalesce(b.allowed, p_usual) - coalesce(b.under_way, 0)))
      FOR UPDATE SKIP LOCKED) d
  ), turns AS (
    SELECT due.*, due.tenant_under_way
      + row_number() OVER (PARTITION BY due.tenant ORDER BY due.nth, due.next_at) AS turn
    FROM due
  ), kept AS (
    SELECT t.tenant, n.places FROM (SELECT DISTINCT due.tenant FROM due) t CROSS JOIN LATERAL (
      SELECT count(*) AS places FROM subscriptions s
      WHERE s.tenant_id = t.tenant AND s.status = 'active' AND coalesce(s.expires_at > now(), true)) n
  ), chosen AS (
    SELECT turns.* FROM turns JOIN kept USING (tenant)
    WHERE turns.turn <= p_tenant_max - CASE WHEN turns.nth = 1 THEN 0 ELSE kept.places END
    ORDER BY turns.turn, turns.next_at LIMIT p_limit
  ), claimed AS (
    UPDATE deliveries d SET lease = v_lease,
      leased_at = clock_timestamp(),
      attempts = d.attempts + CASE WHEN c.cut THEN 0 ELSE 1 END
    FROM chosen c
    WHERE d.week = c.week AND d.event_id = c.event_id AND d.subscription_id = c.subscription_id
      AND d.redelivery = c.redelivery
    RETURNING d.*, c.cut, c.cut_at, c.turn
  )
  SELECT c.week, c.tenant_id, c.id, c.subscription_id, c.event_id, c.redelivery, c.name, c.resource,
    c.attempts, c.first_open, c.lease, c.cut, s.url, s.sealed_secret,
    CASE WHEN s.previous_until > workspace_now(s.tenant_id) THEN s.sealed_previous END,
    CASE WHEN s.oldest_until > workspace_now(s.tenant_id) THEN s.sealed_oldest END, s.key_id, s.cursor_event,
    e.envelope, e.traceparent,
    c.created_at::timestamptz,
    extract(epoch FROM clock_timestamp() - greatest(c.next_at, s.updated_at - ahead_of(s.tenant_id)))::float8 * 1000,
    CASE WHEN c.cut THEN c.cut_at ELSE c.leased_at END
  FROM claimed c
  JOIN subscriptions s ON s.tenant_id = c.tenant_id AND s.id = c.subscription_id
  LEFT JOIN events e ON e.day = c.day AND e.event_id = c.event_id
  ORDER BY c.turn;
END $$;

-- Puts a delivery back whose attempt could not be begun: it does not count. It waits for as long again as it has waited
-- since it was queued, at least p_wait_ms and at most 30 s.
CREATE OR REPLACE FUNCTION put_back(
  p_week smallint, p_event text, p_subscription text, p_redelivery integer, p_lease bigint, p_wait_ms bigint)
RETURNS void LANGUAGE sql SECURITY DEFINER SET search_path FROM CURRENT AS $$
  UPDATE deliveries d SET attempts = d.attempts - 1, lease = NULL, next_at = now() + greatest(
    p_wait_ms * interval '1 ms', least(workspace_now(d.tenant_id) - d.created_at, interval '30 s'))
  WHERE d.week = p_week AND d.event_id = p_event AND d.subscription_id = p_subscription
    AND d.redelivery = p_redelivery AND d.lease = p_lease
$$;

-- Records the outcomes of attempts whose leases still hold, and releases the next event of each resource. Returns the subscriptions that have failed for p_failing_ms without one success.
CREATE OR REPLACE FUNCTION record_outcomes(p_outcomes json, p_failing_ms bigint)
RETURNS TABLE (tenant_id text, subscription_id text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  -- The lock keeps append_events from adding to the chains meanwhile.
  PERFORM FROM feeds f
    WHERE f.tenant_id IN (SELECT o->>'tenant' FROM json_array_elements(p_outcomes) o WHERE (o->>'first')::boolean)
    ORDER BY f.tenant_id FOR SHARE;
  WITH given AS (
    SELECT * FROM json_to_recordset(p_outcomes) AS g (week smallint, id text, tenant text, subscription text,
      event text, redelivery integer, lease bigint, attempt smallint, at timestamptz, status text, wait_ms bigint,
      duration_ms integer, http integer, error text, excerpt text, headers json)
  ), ended AS (
    UPDATE deliveries d SET status = g.status, lease = NULL, first_open = false,
      next_at = now() + coalesce(g.wait_ms, 0) * interval '1 ms'
    FROM given g
    WHERE d.week = g.week AND d.event_id = g.event AND d.subscription_id = g.subscription
      AND d.redelivery = g.redelivery AND d.lease = g.lease
    RETURNING g.*, d.name
  ), told AS (
    INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
    SELECT e.tenant, e.status || '/' || e.id, 'delivery.' || e.status, e.id, 1, json_build_object('delivery',
      json_build_object('id', e.id, 'webhookId', e.subscription, 'eventId', e.event))
    FROM ended e WHERE e.status = 'failed'
      OR (e.status = 'succeeded' AND (e.name = 'integration.test' OR e.redelivery > 0))
    ON CONFLICT DO NOTHING
  ), counted AS (
    -- The history is kept for eight weeks at most, and emptied by whole ones.
    INSERT INTO recorded_bytes (tenant_id, days, bytes)
    SELECT e.tenant, 63, sum(coalesce(octet_length(e.excerpt), 0) + octet_length(e.headers::text))
    FROM ended e WHERE e.headers IS NOT NULL GROUP BY 1
  )
  INSERT INTO attempts (week, tenant_id, delivery_id, number, at, duration_ms, status, error, excerpt, headers)
    SELECT e.week, e.tenant, e.id, e.attempt, e.at + ahead_of(e.tenant), e.duration_ms, e.http, e.error, e.excerpt,
      e.headers
    FROM ended e
    ON CONFLICT DO NOTHING;
  -- The oldest event of a resource whose first attempt is still to be made is released, after the first attempt
  -- of the one before it has ended.
  UPDATE deliveries d SET held = false, next_at = now()
    FROM json_to_recordset(p_outcomes) AS g (tenant text, subscription text, resource text, first boolean)
    JOIN subscriptions s ON s.tenant_id = g.tenant AND s.id = g.subscription
    CROSS JOIN LATERAL (
      SELECT n.week, n.event_id, n.subscription_id, n.redelivery, n.held FROM deliveries n
      WHERE n.tenant_id = g.tenant AND n.subscription_id = g.subscription AND n.resource = g.resource
        AND n.first_open AND n.created_at >= s.active_since
      ORDER BY n.position LIMIT 1) n
    WHERE g.first AND n.held AND d.week = n.week AND d.event_id = n.event_id
      AND d.subscription_id = n.subscription_id AND d.redelivery = n.redelivery;
  RETURN QUERY
  WITH health AS (
    SELECT g.tenant, g.subscription, bool_or(g.status = 'succeeded') AS ok
    FROM json_to_recordset(p_outcomes) AS g (tenant text, subscription text, status text, error text)
    WHERE g.error IS DISTINCT FROM 'interrupted' GROUP BY 1, 2
  ), changed AS (
    UPDATE subscriptions s SET failing_since = CASE WHEN h.ok THEN NULL ELSE workspace_now(s.tenant_id) END
    FROM health h
    WHERE s.tenant_id = h.tenant AND s.id = h.subscription AND h.ok = (s.failing_since IS NOT NULL)
  )
  SELECT s.tenant_id, s.id FROM subscriptions s JOIN health h ON s.tenant_id = h.tenant AND s.id = h.subscription
  WHERE NOT h.ok AND s.status = 'active' AND s.failing_since <= workspace_now(s.tenant_id) - p_failing_ms * interval '1 ms';
END $$;

-- Deliveries that are due and not claimed: their number (at most ten of each subscription are counted), and
-- the age of the oldest.
CREATE OR REPLACE FUNCTION deliveries_waiting(p_lease_ms integer) RETURNS TABLE (due float8, oldest_seconds float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  WITH RECURSIVE waiting AS (
    (SELECT d.tenant_id AS tenant, d.subscription_id AS subscription FROM deliveries d
      WHERE d.status = 'pending' AND NOT d.held ORDER BY d.tenant_id, d.subscription_id LIMIT 1)
    UNION ALL
    SELECT n.tenant, n.subscription FROM waiting w CROSS JOIN LATERAL (
      SELECT d.tenant_id AS tenant, d.subscription_id AS subscription FROM deliveries d
      WHERE d.status = 'pending' AND NOT d.held
        AND (d.tenant_id, d.subscription_id) > (w.tenant, w.subscription)
      ORDER BY d.tenant_id, d.subscription_id LIMIT 1) n
  )
  SELECT count(*)::float8, coalesce(extract(epoch FROM now() - min(q.next_at)), 0)::float8
  FROM waiting w
  JOIN subscriptions s ON s.tenant_id = w.tenant AND s.id = w.subscription AND s.status = 'active'
      AND coalesce(s.expires_at > now(), true)
  CROSS JOIN LATERAL (
    SELECT d.next_at FROM deliveries d
    WHERE d.tenant_id = s.tenant_id AND d.subscription_id = s.id AND d.status = 'pending' AND NOT d.held
      AND d.next_at <= now() AND d.created_at >= s.active_since
      AND (d.lease IS NULL OR d.leased_at <= now() - p_lease_ms * interval '1 ms')
    ORDER BY d.next_at LIMIT 10) q
$$;
