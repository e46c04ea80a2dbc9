-- Subscriptions of a workspace, without those of keys.
CREATE OR REPLACE FUNCTION subscriptions_of(p_tenant text) RETURNS SETOF subscriptions
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT * FROM subscriptions s WHERE s.tenant_id = p_tenant AND s.key_id IS NULL;
END $$;

-- True where a key has a subscription at a URL, which has answered its challenge then.
CREATE OR REPLACE FUNCTION is_verified_url(p_tenant text, p_key text, p_url text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN EXISTS (SELECT FROM subscriptions s WHERE s.tenant_id = p_tenant AND s.key_id = p_key
    AND s.url = p_url AND s.expires_at > now());
END $$;

-- Deliveries of a subscription with their attempts, newest first, after an id in that order.
CREATE OR REPLACE FUNCTION list_deliveries(
  p_tenant text, p_subscription text, p_status text, p_name text, p_after text, p_limit integer)
RETURNS TABLE (delivery deliveries, attempts json, headers json, envelope text, renamed boolean)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT d, attempts_of(d), r.* FROM deliveries d
    LEFT JOIN LATERAL sent_with(d.week, d.day, d.id, d.event_id, d.name, 4096) r ON true
    WHERE d.tenant_id = p_tenant AND d.subscription_id = p_subscription AND d.id < p_after
      AND (p_status IS NULL OR d.status = p_status) AND (p_name IS NULL OR d.name = p_name)
    ORDER BY d.id DESC LIMIT p_limit;
END $$;

-- Deliveries of an event to the workspace's subscriptions, newest first. The event's id does not tell the
-- slot of an old week, so that each of the ten is looked up.
CREATE OR REPLACE FUNCTION deliveries_of_event(p_tenant text, p_event text, p_after text, p_limit integer)
RETURNS TABLE (delivery deliveries, attempts json, headers json, envelope text, renamed boolean)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT d, attempts_of(d), r.* FROM deliveries d
    LEFT JOIN LATERAL sent_with(d.week, d.day, d.id, d.event_id, d.name, 4096) r ON true
    WHERE d.week = ANY ('{0,1,2,3,4,5,6,7,8,9}') AND d.event_id = p_event AND d.tenant_id = p_tenant
      AND d.id < p_after AND d.subscription_id IN (
        SELECT s.id FROM subscriptions s WHERE s.tenant_id = p_tenant AND s.key_id IS NULL)
    ORDER BY d.id DESC LIMIT p_limit;
END $$;

-- The content of the last attempt of a delivery that has ended, with as many characters of the event's
-- envelope, or all of it where the subscription has another name for the type.
CREATE OR REPLACE FUNCTION sent_with(p_week smallint, p_day smallint, p_delivery text, p_event text,
  p_name text, p_characters integer)
RETURNS TABLE (headers json, envelope text, renamed boolean) LANGUAGE sql STABLE AS $$
  SELECT a.headers, CASE WHEN e.type = p_name THEN left(e.envelope, p_characters) ELSE e.envelope END,
    e.type <> p_name
  FROM attempts a LEFT JOIN events e ON e.day = p_day AND e.event_id = p_event
  WHERE a.week = p_week AND a.delivery_id = p_delivery AND a.headers IS NOT NULL
  ORDER BY a.number DESC LIMIT 1
$$;

-- The attempts of a delivery as the API shows them, in order.
CREATE OR REPLACE FUNCTION attempts_of(p_delivery deliveries) RETURNS json
LANGUAGE sql STABLE AS $$
  SELECT coalesce(json_agg(json_build_object('number', a.number,
    'at', to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
    'durationMs', a.duration_ms, 'status', a.status, 'error', a.error, 'responseExcerpt', a.excerpt)
    ORDER BY a.number), '[]')
  FROM (
    SELECT number, at, duration_ms, status, error, excerpt FROM attempts
      WHERE week = p_delivery.week AND delivery_id = p_delivery.id
    UNION ALL
    -- The one under way.
    SELECT p_delivery.attempts, p_delivery.leased_at + ahead_of(p_delivery.tenant_id), NULL, NULL, NULL, NULL
      WHERE p_delivery.lease IS NOT NULL) a
$$;

-- A delivery of one of the workspace's subscriptions, with its attempts.
CREATE OR REPLACE FUNCTION find_delivery(p_tenant text, p_id text)
RETURNS TABLE (delivery deliveries, attempts json, headers json, envelope text, renamed boolean)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT d, attempts_of(d), r.* FROM deliveries d
    LEFT JOIN LATERAL sent_with(d.week, d.day, d.id, d.event_id, d.name, 2147483647) r ON true
    WHERE d.tenant_id = p_tenant AND d.id = p_id AND d.subscription_id IN (
      SELECT s.id FROM subscriptions s WHERE s.tenant_id = p_tenant AND s.key_id IS NULL);
END $$;

-- Queues the deliveries of a subscription that have failed since a time again, the oldest first; not those
-- with a later delivery of the same event. Events that are no longer kept are counted instead.
CREATE OR REPLACE FUNCTION redeliver_failed(
  p_tenant text, p_subscription text, p_since timestamptz, p_time text, p_limit integer)
RETURNS TABLE (redelivered integer, expired integer) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY
  WITH failed AS (
    SELECT d.* FROM deliveries d
    WHERE d.tenant_id = p_tenant AND d.subscription_id = p_subscription AND d.status = 'failed'
      AND d.created_at >= p_since AND NOT EXISTS (
        SELECT FROM deliveries later WHERE later.week = d.week AND later.event_id = d.event_id
          AND later.subscription_id = d.subscription_id AND later.redelivery > d.redelivery)
    ORDER BY d.created_at, d.position LIMIT p_limit
  ), kept AS (
    SELECT f.* FROM failed f JOIN events e ON e.day = f.day AND e.event_id = f.event_id
  ), queued AS (
    INSERT INTO deliveries (week, day, tenant_id, id, subscription_id, event_id, redelivery, name, resource,
      position, first_open, held, next_at, created_at)
    SELECT k.week, k.day, k.tenant_id,
      'dlv_' || p_time || upper(substr(md5(k.event_id || k.subscription_id || k.redelivery + 1), 1, 16)),
      k.subscription_id, k.event_id, k.redelivery + 1, k.name, k.resource, k.position, false, false,
      now(), workspace_now(p_tenant)
    FROM kept k ON CONFLICT DO NOTHING RETURNING 1
  )
  SELECT (SELECT count(*)::int FROM queued),
    (SELECT count(*)::int FROM failed) - (SELECT count(*)::int FROM kept);
END $$;
