-- Moves what has happened into the counters, of every tenant, a batch at a time, in one statement: a
-- reader sees it in one place or the other. One call at a time does it; a concurrent one has nothing to do.
CREATE OR REPLACE FUNCTION fold_volumes() RETURNS bigint LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  v_folded bigint;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('mail.fold_volumes', 0)) THEN
    RETURN 0;
  END IF;
  WITH taken AS (
    DELETE FROM volume_deltas
    WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM volume_deltas d LIMIT 10000))
    RETURNING *
  ), counted AS (
    INSERT INTO volumes AS v (tenant_id, quarter, mailbox_id,
      created, archived, reopened, received, sent, comments, drafts)
    SELECT t.tenant_id, date_bin('15 minutes', t.at, 'epoch'), t.mailbox_id,
      sum(t.created), sum(t.archived), sum(t.reopened), sum(t.received), sum(t.sent),
      sum(t.comments), sum(t.drafts)
    FROM taken t GROUP BY 1, 2, 3
    ON CONFLICT (tenant_id, quarter, mailbox_id) DO UPDATE
      SET created = v.created + excluded.created, archived = v.archived + excluded.archived,
        reopened = v.reopened + excluded.reopened, received = v.received + excluded.received,
        sent = v.sent + excluded.sent, comments = v.comments + excluded.comments,
        drafts = v.drafts + excluded.drafts
  )
  SELECT count(*) INTO v_folded FROM taken;
  RETURN v_folded;
END $$;

-- Volumes of the days p_from to p_to in a time zone, counters and what is not in them yet: by day, by
-- mailbox, and altogether (both null). A time belongs to the day that the zone's clocks show then, so that
-- no day is counted twice or left out when they change.
CREATE OR REPLACE FUNCTION volumes_of(p_tenant text, p_from date, p_to date, p_zone text)
RETURNS TABLE (day date, mailbox text, created bigint, archived bigint, reopened bigint,
  received bigint, sent bigint, comments bigint, drafts bigint)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  -- No zone is a whole day away from UTC.
  v_since timestamptz := (p_from - 1)::timestamp AT TIME ZONE 'UTC';
  v_until timestamptz := (p_to + 2)::timestamp AT TIME ZONE 'UTC';
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT here.day, m.address, sum(here.created)::bigint, sum(here.archived)::bigint,
      sum(here.reopened)::bigint, sum(here.received)::bigint, sum(here.sent)::bigint,
      sum(here.comments)::bigint, sum(here.drafts)::bigint
    FROM (
      SELECT (v.quarter AT TIME ZONE p_zone)::date AS day, v.mailbox_id,
        v.created, v.archived, v.reopened, v.received, v.sent, v.comments, v.drafts
      FROM volumes v
      WHERE v.tenant_id = p_tenant AND v.quarter >= v_since AND v.quarter < v_until
      UNION ALL
      SELECT (d.at AT TIME ZONE p_zone)::date, d.mailbox_id,
        d.created, d.archived, d.reopened, d.received, d.sent, d.comments, d.drafts
      FROM volume_deltas d
      WHERE d.tenant_id = p_tenant AND d.at >= v_since AND d.at < v_until
    ) here
    JOIN mailboxes m ON m.tenant_id = p_tenant AND m.id = here.mailbox_id
    WHERE here.day BETWEEN p_from AND p_to
    GROUP BY GROUPING SETS ((here.day), (m.address), ());
END $$;

CREATE OR REPLACE FUNCTION count_open_conversations(p_tenant text) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN (
    SELECT count(*) FROM conversations c
    WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.status = 'open');
END $$;
