-- The hot reads: each sets the tenant and then queries, in one round trip. Stable, so that functions called
-- by one statement see one state of the data.

CREATE OR REPLACE FUNCTION mailbox_exists(p_tenant text, p_mailbox text) RETURNS boolean
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN EXISTS (
    SELECT FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox);
END $$;

-- The inbox, newest first.
CREATE OR REPLACE FUNCTION list_conversations(p_tenant text, p_mailbox text, p_limit integer)
RETURNS SETOF conversations LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT c.* FROM conversations c
    WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.mailbox_id = (
      SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox)
    ORDER BY c.last_message_at DESC, c.id DESC
    LIMIT p_limit;
END $$;

-- The inbox of a member who may have snoozed something: most have nothing that is hidden now, and for them
-- it is the list of all callers.
CREATE OR REPLACE FUNCTION list_conversations(
  p_tenant text, p_mailbox text, p_limit integer, p_member text, p_now timestamptz)
RETURNS SETOF conversations LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  IF EXISTS (SELECT FROM snoozes s
      WHERE s.tenant_id = p_tenant AND s.member_id = p_member AND s.until > p_now) THEN
    RETURN QUERY
      SELECT c.* FROM conversations c
      WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.mailbox_id = (
          SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox)
        AND NOT EXISTS (
          SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
            AND s.conversation_id = c.id AND s.until > p_now)
      ORDER BY c.last_message_at DESC, c.id DESC
      LIMIT p_limit;
  ELSE
    -- The statement of the list of all callers again: through that function its rows would be copied twice.
    RETURN QUERY
      SELECT c.* FROM conversations c
      WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.mailbox_id = (
        SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox)
      ORDER BY c.last_message_at DESC, c.id DESC
      LIMIT p_limit;
  END IF;
END $$;

-- Pages newest first, from a place in the list as the snapshot p_as_of saw it; without one, as it is
-- (docs/adr/0022). There is a function for each index that can drive a page. The planner would count a
-- redundant condition twice, so each function tests only what its index does not cover. An assignee of '' means unassigned.
--
-- Their plans are kept (planning took longer than reading), and a kept plan overestimates how much has
-- come since the first page: without these settings it would read every conversation, and be compiled at
-- each call.

-- Resolves the filters of a page: its mailbox (null: nothing can match), the label as the mailbox writes it, and
-- the conversations that mail has come to since p_as_of. These are shown where they stood then, by
-- moved_conversations. An import makes hundreds of thousands that were not there, whose messages need not
-- be looked at; a minute is more than clocks differ.
--
-- A transaction that is not begun yet can have brought nothing: such a number is one of another server,
-- whose rows were restored into this one.
CREATE OR REPLACE FUNCTION page_scope(
  p_tenant text, p_mailbox text, p_now timestamptz, p_as_of pg_snapshot, p_label_key text,
  OUT mailbox text, OUT label text, OUT moved text[])
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_since bigint := pg_snapshot_xmin(p_as_of)::text::bigint;
  v_begun bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  moved := '{}';
  SELECT m.id INTO mailbox FROM mailboxes m
    WHERE m.tenant_id = p_tenant AND m.address = p_mailbox;
  IF p_label_key IS NOT NULL THEN
    SELECT l.name INTO label FROM labels l
      WHERE l.tenant_id = p_tenant AND l.mailbox_id = mailbox AND l.key = p_label_key;
    IF label IS NULL THEN mailbox := NULL; END IF;
  END IF;
  IF p_as_of IS NOT NULL THEN
    SELECT coalesce(array_agg(c.id), '{}') INTO moved FROM (
        SELECT DISTINCT m.conversation_id AS id FROM messages m
        WHERE m.tenant_id = p_tenant AND m.mailbox_id = mailbox
          AND m.kept_by >= v_since AND m.kept_by < v_begun
          AND NOT pg_visible_in_snapshot(m.kept_by::text::xid8, p_as_of)) later
      JOIN conversations c ON c.tenant_id = p_tenant AND c.id = later.id
        AND c.created_at < p_now + interval '1 minute';
  END IF;
END $$;

-- The conversations of a page that have received mail since the snapshot, at the place where they stood then:
-- the messages that the snapshot sees determine it.
CREATE OR REPLACE FUNCTION moved_conversations(
  p_tenant text, p_moved text[], p_member text, p_now timestamptz, p_as_of pg_snapshot,
  p_after_at timestamptz, p_after_id text, p_limit integer,
  p_placements text[], p_statuses text[], p_assignee text, p_label text)
RETURNS TABLE (conversation conversations, stood timestamptz, id text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_begun bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
BEGIN
  IF p_moved = '{}' THEN RETURN; END IF;
  RETURN QUERY
    SELECT c, until_then.stood, c.id FROM unnest(p_moved) AS moved (id)
    JOIN conversations c ON c.tenant_id = p_tenant AND c.id = moved.id
    CROSS JOIN LATERAL (
      SELECT max(m.received_at) AS stood FROM messages m
      WHERE m.tenant_id = p_tenant AND m.conversation_id = c.id
        AND (m.kept_by >= v_begun OR pg_visible_in_snapshot(m.kept_by::text::xid8, p_as_of))
    ) until_then
    WHERE c.placement = ANY (p_placements) AND c.status = ANY (p_statuses)
      AND (p_assignee IS NULL OR c.assignee_key = p_assignee)
      AND (p_label IS NULL OR p_label = ANY (c.labels))
      AND NOT EXISTS (
        SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
          AND s.conversation_id = c.id AND s.until > p_now)
      AND (until_then.stood, c.id) < (p_after_at, p_after_id)
    ORDER BY until_then.stood DESC, c.id DESC
    LIMIT p_limit;
END $$;

DO $make$
DECLARE
  v_name text;
  v_driven_by text;
  -- The conversations of a placement and a status that the page may have, by an index of conversations.
  v_indexed text := $sql$
        SELECT c, c.last_message_at AS stood, c.id FROM conversations c
        WHERE c.tenant_id = p_tenant AND c.mailbox_id = v.mailbox
          AND %s AND c.placement = place.placement
          AND (c.last_message_at, c.id) < (p_after_at, p_after_id)
          AND c.created_at < p_now + interval '1 minute' AND c.id <> ALL (v.moved)
          AND (v.label IS NULL OR v.label = ANY (c.labels))
          AND NOT EXISTS (
            SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
              AND s.conversation_id = c.id AND s.until > p_now)
        ORDER BY c.last_message_at DESC, c.id DESC
        LIMIT p_limit$sql$;
  -- The same by the index of labels. OFFSET 0 keeps it a look-up for each row of it, whatever the planner guesses.
  v_labelled text := $sql$
        SELECT listed.c, l.last_message_at AS stood, l.conversation_id AS id
        FROM conversation_labels l
        CROSS JOIN LATERAL (
          SELECT c FROM conversations c WHERE c.tenant_id = p_tenant AND c.id = l.conversation_id
            AND (p_assignee IS NULL OR c.assignee_key = p_assignee)
            AND c.created_at < p_now + interval '1 minute'
            AND NOT EXISTS (
              SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
                AND s.conversation_id = c.id AND s.until > p_now)
          OFFSET 0) listed
        WHERE l.tenant_id = p_tenant AND l.mailbox_id = v.mailbox AND l.label = v.label
          AND l.status = work.status AND l.placement = place.placement
          AND (l.last_message_at, l.conversation_id) < (p_after_at, p_after_id)
          AND l.conversation_id <> ALL (v.moved)
        ORDER BY l.last_message_at DESC, l.conversation_id DESC
        LIMIT p_limit$sql$;
BEGIN
  FOR v_name, v_driven_by IN VALUES
    ('page_by_placement', 'CROSS JOIN LATERAL (' || format(v_indexed,
      'c.status = ANY (p_statuses) AND (p_assignee IS NULL OR c.assignee_key = p_assignee)')),
    ('page_by_status', 'CROSS JOIN unnest(p_statuses) AS work (status) CROSS JOIN LATERAL (' || format(v_indexed,
      'c.status = work.status AND (p_assignee IS NULL OR c.assignee_key = p_assignee)')),
    ('page_by_assignee', 'CROSS JOIN unnest(p_statuses) AS work (status) CROSS JOIN LATERAL (' || format(v_indexed,
      'c.assignee_key = p_assignee AND c.status = work.status')),
    ('page_by_label', 'CROSS JOIN unnest(p_statuses) AS work (status) CROSS JOIN LATERAL (' || v_labelled)
  LOOP
    EXECUTE format($sql$
      CREATE OR REPLACE FUNCTION %I(
        p_tenant text, p_mailbox text, p_member text, p_now timestamptz, p_as_of pg_snapshot,
        p_after_at timestamptz, p_after_id text, p_limit integer,
        p_placements text[], p_statuses text[], p_assignee text, p_label_key text)
      RETURNS TABLE (conversation conversations, stood_at timestamptz)
      LANGUAGE plpgsql STABLE
      SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
      DECLARE
        v record;
      BEGIN
        SELECT * INTO v FROM page_scope(p_tenant, p_mailbox, p_now, p_as_of, p_label_key);
        IF v.mailbox IS NULL THEN RETURN; END IF;
        RETURN QUERY
          SELECT page.c, page.stood FROM (
            SELECT found.* FROM unnest(p_placements) AS place (placement) %s) found
            UNION ALL
            SELECT * FROM moved_conversations(p_tenant, v.moved, p_member, p_now, p_as_of, p_after_at,
              p_after_id, p_limit, p_placements, p_statuses, p_assignee, v.label)
          ) page
          ORDER BY page.stood DESC, page.id DESC
          LIMIT p_limit;
      END $$$sql$, v_name, v_driven_by);
  END LOOP;
END $make$;

-- A time before which no uncommitted change exists: every transaction still open began at or after it. It
-- waits up to 200 ms for those under way.
CREATE OR REPLACE FUNCTION changes_complete_until() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz;
  v_oldest timestamptz;
BEGIN
  -- Stamps are whole milliseconds: with the next one, all that is committed now is before it.
  PERFORM pg_sleep(0.002);
  v_now := clock_timestamp();
  FOR attempt IN 1..20 LOOP
    PERFORM pg_stat_clear_snapshot();
    SELECT min(a.xact_start) INTO v_oldest FROM pg_stat_activity a
      WHERE a.datname = current_database() AND a.usename = current_user
        AND a.pid <> pg_backend_pid() AND a.xact_start < v_now;
    EXIT WHEN v_oldest IS NULL;
    PERFORM pg_sleep(0.01);
  END LOOP;
  RETURN date_trunc('milliseconds', coalesce(v_oldest, v_now));
END $$;

-- A page by change: what was written at p_since or later, the first first. It stops before what may still
-- be under way, so that no row slips in behind it (volatile: the query sees all that had been committed
-- when the end was found).
CREATE OR REPLACE FUNCTION page_by_change(
  p_tenant text, p_mailbox text, p_member text, p_now timestamptz, p_since timestamptz,
  p_after_at timestamptz, p_after_id text, p_limit integer,
  p_placements text[], p_statuses text[], p_assignee text, p_label_key text,
  p_team text, p_unread boolean, p_senders text[], p_only_snoozed boolean)
RETURNS TABLE (conversation conversations, snoozed_until timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v record;
  v_end timestamptz := changes_complete_until() + ahead_of(p_tenant);
BEGIN
  SELECT * INTO v FROM page_scope(p_tenant, p_mailbox, p_now, NULL, p_label_key);
  IF v.mailbox IS NULL THEN RETURN; END IF;
  RETURN QUERY
    SELECT c, s.until FROM conversations c
    LEFT JOIN snoozes s ON s.tenant_id = p_tenant AND s.member_id = p_member
      AND s.conversation_id = c.id AND s.until > p_now
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = v.mailbox
      AND c.placement = ANY (p_placements) AND c.status = ANY (p_statuses)
      AND (p_assignee IS NULL OR c.assignee_key = p_assignee)
      AND (v.label IS NULL OR v.label = ANY (c.labels))
      AND (p_team IS NULL OR c.team_id = p_team) AND (p_unread IS NULL OR c.unread = p_unread)
      AND (p_senders IS NULL OR c.sender_key = ANY (p_senders))
      AND (NOT p_only_snoozed OR s.until IS NOT NULL)
      AND c.changed_at >= p_since AND c.changed_at < v_end
      AND (c.changed_at, c.id) > (p_after_at, p_after_id)
    ORDER BY c.changed_at, c.id
    LIMIT p_limit;
END $$;
