-- How long the event that waits longest has waited to be published: of the oldest of each shard, so that it
-- costs the same however many wait. Null when none does.
CREATE OR REPLACE FUNCTION outbox_waiting() RETURNS float8
LANGUAGE sql STABLE SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  SELECT extract(epoch FROM now() - min(o.created_at))::float8
  FROM generate_series(0, 15) AS s (shard) CROSS JOIN LATERAL (
    SELECT w.created_at FROM outbox w
    WHERE w.shard = s.shard AND w.refusal IS NULL ORDER BY w.position LIMIT 1) o
$$;
