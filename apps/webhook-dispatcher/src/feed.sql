-- Records events in the feeds of their workspaces and queues their deliveries, in the order given; an
-- event that was recorded before is left as it is. Returns the number of queued deliveries.
--
-- p_time is the first part (time) of the deliveries' ids. p_webhooks: the one subscription that receives a
-- test, whatever types it subscribes to.
CREATE OR REPLACE FUNCTION append_events(
  p_time text, p_days smallint[], p_weeks smallint[], p_tenants text[], p_events text[], p_types text[],
  p_resources text[], p_sequences bigint[], p_mailboxes text[], p_webhooks text[], p_envelopes text[], p_traces text[])
RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_queued integer;
  v_at timestamptz;
BEGIN
  -- In the order of tenants, so that two batches never wait for each other.
  INSERT INTO feeds AS f (tenant_id, position)
    SELECT tenant, count(*) FROM unnest(p_tenants) tenant GROUP BY tenant ORDER BY tenant
    ON CONFLICT (tenant_id) DO UPDATE SET position = f.position + excluded.position;
  -- After the locks: a subscription that was made under one of them is active since before.
  v_at := clock_timestamp();
  -- A statement of its own, so that it sees the commits of those that held the rows before.
  WITH given AS (
    SELECT g.*, count(*) OVER (PARTITION BY g.tenant) AS total,
      row_number() OVER (PARTITION BY g.tenant ORDER BY g.place) AS nth
    FROM unnest(p_days, p_weeks, p_tenants, p_events, p_types, p_resources, p_sequences, p_mailboxes,
        p_webhooks, p_envelopes, p_traces) WITH ORDINALITY
      AS g (day, week, tenant, event, type, resource, sequence, mailbox, webhook, envelope, trace, place)
  ), recorded AS (
    INSERT INTO events AS e (day, tenant_id, position, event_id, type, resource, sequence, mailbox, envelope,
      traceparent)
    SELECT g.day, g.tenant, f.position - g.total + g.nth, g.event, g.type, g.resource, g.sequence,
      g.mailbox, g.envelope, g.trace
    FROM given g JOIN feeds f ON f.tenant_id = g.tenant
    ON CONFLICT DO NOTHING
    RETURNING e.event_id, e.position, e.tenant_id, octet_length(e.envelope) AS bytes
  ), counted AS (
    INSERT INTO recorded_bytes (tenant_id, bytes)
    SELECT r.tenant_id, sum(r.bytes) FROM recorded r GROUP BY 1
  ), queued AS (
    INSERT INTO deliveries (week, day, tenant_id, id, subscription_id, event_id, name, resource, position,
      first_open, held, next_at, created_at)
    SELECT g.week, g.day, g.tenant,
      'dlv_' || p_time || upper(substr(md5(g.event || s.id), 1, 16)), s.id, g.event,
      CASE WHEN g.type = 'conversation.commented' AND NOT g.type = ANY (s.events)
        AND 'comment.added' = ANY (s.events) THEN 'comment.added' ELSE g.type END,
      g.resource, r.position, true,
      row_number() OVER (PARTITION BY s.tenant_id, s.id, g.resource ORDER BY r.position) > 1
        OR EXISTS (SELECT FROM deliveries d WHERE d.tenant_id = g.tenant AND d.subscription_id = s.id
          AND d.resource = g.resource AND d.first_open AND d.created_at >= s.active_since),
      now(), v_at + ahead_of(g.tenant)
    FROM given g JOIN recorded r ON r.event_id = g.event JOIN subscriptions s ON s.tenant_id = g.tenant
    WHERE s.status <> 'disabled' AND coalesce(s.expires_at > now(), true)
      AND coalesce(s.mailbox = lower(g.mailbox), s.mailbox IS NULL) AND CASE WHEN g.webhook IS NULL THEN
        cardinality(s.events) = 0 OR g.type = ANY (s.events)
          OR g.type = 'conversation.commented' AND 'comment.added' = ANY (s.events)
      ELSE s.id = g.webhook END
    RETURNING 1
  ) SELECT count(*) INTO v_queued FROM queued;
  PERFORM pg_notify('postroom_webhooks', tenant) FROM (SELECT DISTINCT unnest(p_tenants) AS tenant) t;
  RETURN v_queued;
END $$;

-- The position of an event in a workspace's feed; null if the event is not kept.
CREATE OR REPLACE FUNCTION feed_position(p_tenant text, p_event text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (SELECT e.position FROM events e WHERE e.tenant_id = p_tenant AND e.event_id = p_event);
END $$;

-- The last event of a workspace; no row where none is kept.
CREATE OR REPLACE FUNCTION feed_end(p_tenant text) RETURNS TABLE ("position" bigint, event_id text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY SELECT e.position, e.event_id FROM events e WHERE e.tenant_id = p_tenant
    ORDER BY e.position DESC LIMIT 1;
END $$;

-- Events of a workspace after a position, of the given types and, if they belong to a mailbox, of the given
-- mailboxes: at most p_limit and about p_bytes of them, among the next p_scan. `more`: another event follows
-- it. Every row, and the one row of an empty page, has the last event that was scanned and whether there may
-- be more after that.
CREATE OR REPLACE FUNCTION read_feed(
  p_tenant text, p_after bigint, p_types text[], p_mailboxes text[], p_limit integer, p_bytes integer,
  p_scan integer)
RETURNS TABLE (event_id text, envelope text, more boolean, last_id text, more_to_scan boolean)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    WITH scanned AS (
      SELECT e.position, e.event_id, e.type, e.mailbox, octet_length(e.envelope) AS bytes, e.day
      FROM events e WHERE e.tenant_id = p_tenant AND e.position > p_after
      ORDER BY e.position LIMIT p_scan
    ), ends AS (
      SELECT (array_agg(s.event_id ORDER BY s.position DESC))[1] AS last_id, count(*) AS total FROM scanned s
    ), shown AS (
      SELECT s.*, row_number() OVER place AS nth, sum(s.bytes) OVER place AS so_far,
        lead(s.event_id) OVER place IS NOT NULL AS more
      FROM scanned s
      WHERE s.type = ANY (p_types) AND (s.mailbox IS NULL OR lower(s.mailbox) = ANY (p_mailboxes))
      WINDOW place AS (ORDER BY s.position)
    ), page AS (
      SELECT * FROM shown WHERE shown.nth <= p_limit AND (shown.nth = 1 OR shown.so_far <= p_bytes)
    )
    SELECT p.event_id, e.envelope, p.more, n.last_id, n.total = p_scan
    FROM ends n LEFT JOIN page p ON true
    LEFT JOIN events e ON e.day = p.day AND e.event_id = p.event_id
    ORDER BY p.position;
END $$;

-- The oldest events of a type, and of a mailbox if one is given, after a position: at most p_limit, recorded since a
-- time, among the next p_scan. `last`: the position that was scanned last; `more`: others may follow.
CREATE OR REPLACE FUNCTION replayable_events(
  p_tenant text, p_after bigint, p_type text, p_mailbox text, p_since timestamptz, p_limit integer, p_scan integer)
RETURNS TABLE (events text[], days smallint[], last bigint, more boolean)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    WITH scanned AS (
      SELECT e.position, e.event_id, e.day, e.type, e.mailbox, e.recorded_at
      FROM events e WHERE e.tenant_id = p_tenant AND e.position > p_after
      ORDER BY e.position LIMIT p_scan
    ), wanted AS (
      SELECT s.*, row_number() OVER (ORDER BY s.position) AS nth FROM scanned s
      WHERE s.type = p_type AND coalesce(p_mailbox = lower(s.mailbox), p_mailbox IS NULL)
        AND s.recorded_at >= p_since
    )
    SELECT coalesce(array_agg(w.event_id ORDER BY w.position) FILTER (WHERE w.nth <= p_limit), '{}'),
      coalesce(array_agg(w.day ORDER BY w.position) FILTER (WHERE w.nth <= p_limit), '{}'),
      coalesce((SELECT max(s.position) FROM scanned s), p_after),
      count(*) > p_limit OR (SELECT count(*) FROM scanned) = p_scan
    FROM wanted w;
END $$;

-- The oldest event of a workspace that is kept.
CREATE OR REPLACE FUNCTION oldest_event(p_tenant text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (SELECT e.event_id FROM events e WHERE e.tenant_id = p_tenant ORDER BY e.position LIMIT 1);
END $$;

-- True where one of these events is not recorded yet, in the partition of its day.
CREATE OR REPLACE FUNCTION lacks_events(p_tenant text, p_events text[], p_days smallint[]) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN EXISTS (SELECT FROM unnest(p_events, p_days) AS g (event, day) WHERE NOT EXISTS (
    SELECT FROM events e WHERE e.day = g.day AND e.event_id = g.event AND e.tenant_id = p_tenant));
END $$;
