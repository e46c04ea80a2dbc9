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
