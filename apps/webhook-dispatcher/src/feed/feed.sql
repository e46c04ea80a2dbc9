-- Where in a workspace's feed an event stands; null where it is not kept.
CREATE OR REPLACE FUNCTION feed_position(p_tenant text, p_event text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (SELECT e.position FROM events e WHERE e.tenant_id = p_tenant AND e.event_id = p_event);
END $$;

-- Events of a workspace behind a position, of the given types and, where they are of a mailbox, of the
-- given ones: at most p_limit and some p_bytes of them, among the next p_scan. With each whether there is
-- another behind it; in every row, and in the one row where there is none, the last that was looked at and
-- whether there may be more behind that.
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

-- The oldest event that is kept of a workspace.
CREATE OR REPLACE FUNCTION oldest_event(p_tenant text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (SELECT e.event_id FROM events e WHERE e.tenant_id = p_tenant ORDER BY e.position LIMIT 1);
END $$;
