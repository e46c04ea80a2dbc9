-- Drops events of more than so many days ago.
CREATE OR REPLACE FUNCTION empty_events(p_days integer) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_today bigint := floor(extract(epoch FROM now()) / 86400);
BEGIN
  PERFORM empty_slots('events', 16, v_today - p_days, v_today + 1);
  RETURN 0;
END $$;

-- Drops deliveries, with their attempts, of weeks that ended more than so many days ago.
CREATE OR REPLACE FUNCTION empty_history(p_days integer) RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_today bigint := floor(extract(epoch FROM now()) / 86400);
BEGIN
  PERFORM empty_slots('attempts', 10, (v_today - p_days) / 7, (v_today + 1) / 7);
  PERFORM empty_slots('deliveries', 10, (v_today - p_days) / 7, (v_today + 1) / 7);
  RETURN 0;
END $$;

-- Removes subscriptions of keys that were not refreshed, and ends the deliveries that wait for a disabled or
-- removed one, a batch at a time.
CREATE OR REPLACE FUNCTION end_abandoned() RETURNS bigint LANGUAGE sql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
  DELETE FROM subscriptions s WHERE s.expires_at <= now();
  WITH abandoned AS (
    SELECT d.week, d.event_id, d.subscription_id, d.redelivery
    FROM deliveries d LEFT JOIN subscriptions s
      ON s.tenant_id = d.tenant_id AND s.id = d.subscription_id
    WHERE d.status = 'pending' AND d.lease IS NULL
      AND (s.id IS NULL OR s.status = 'disabled' OR d.created_at < s.active_since)
    LIMIT 1000 FOR UPDATE OF d SKIP LOCKED
  ), ended AS (
    UPDATE deliveries d SET status = 'failed', first_open = false, held = false FROM abandoned a
    WHERE d.week = a.week AND d.event_id = a.event_id AND d.subscription_id = a.subscription_id
      AND d.redelivery = a.redelivery
    RETURNING 1
  ) SELECT count(*) FROM ended
$$;
