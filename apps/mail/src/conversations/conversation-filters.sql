-- The addresses of a contact, if the caller may read its book; none otherwise.
CREATE OR REPLACE FUNCTION addresses_of(
  p_tenant text, p_member text, p_is_admin boolean, p_contact text)
RETURNS SETOF text LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT a.address FROM known_addresses a
    JOIN known_contacts c ON c.tenant_id = a.tenant_id AND c.id = a.contact_id
    JOIN known_books b ON b.tenant_id = c.tenant_id AND b.id = c.book_id
    WHERE a.tenant_id = p_tenant AND a.contact_id = p_contact AND NOT b.is_deleted
      AND (p_is_admin OR b.is_shared OR p_member = ANY (b.member_ids));
END $$;

-- A page by filters and in orders that the functions above do not have. The query has the conditions that are
-- asked for and no others, and is planned for their values: there are too many combinations for a function each.
-- p_sort is newest, oldest or waiting (who waits longest comes first; their order changes with no mail).
CREATE OR REPLACE FUNCTION page_by_filters(
  p_tenant text, p_mailbox text, p_member text, p_now timestamptz, p_as_of pg_snapshot,
  p_after_at timestamptz, p_after_id text, p_limit integer,
  p_placements text[], p_statuses text[], p_assignee text, p_label_key text,
  p_team text, p_unread boolean, p_senders text[], p_snoozed text, p_sort text)
RETURNS TABLE (conversation conversations, stood_at timestamptz, snoozed_until timestamptz)
LANGUAGE plpgsql STABLE SET jit = off AS $$
DECLARE
  v record;
  v_snoozed text := coalesce(p_snoozed, 'exclude');
  v_sort text := coalesce(p_sort, 'newest');
  v_by text := CASE v_sort WHEN 'waiting' THEN 'c.waiting_since' ELSE 'c.last_message_at' END;
  v_beyond text := CASE v_sort WHEN 'newest' THEN '<' ELSE '>' END;
  v_order text := CASE v_sort WHEN 'newest' THEN 'DESC' ELSE 'ASC' END;
  v_snoozes text := CASE v_snoozed WHEN 'only' THEN 'JOIN' ELSE 'LEFT JOIN' END
    || ' snoozes s ON s.tenant_id = $1 AND s.member_id = $9 AND s.conversation_id = c.id'
    || ' AND s.until > $10';
  v_conditions text;
  v_query text;
BEGIN
  SELECT * INTO v FROM page_scope(p_tenant, p_mailbox, p_now, p_as_of, p_label_key);
  IF v.mailbox IS NULL THEN RETURN; END IF;
  IF v_sort = 'waiting' THEN v.moved := '{}'; END IF;
  v_conditions := concat_ws(' AND ', 'c.status = ANY ($4)',
    CASE WHEN p_assignee IS NOT NULL THEN 'c.assignee_key = $5' END,
    CASE WHEN v.label IS NOT NULL THEN '$6 = ANY (c.labels)' END,
    CASE WHEN p_team IS NOT NULL THEN 'c.team_id = $7' END,
    CASE p_unread WHEN true THEN 'c.unread' WHEN false THEN 'NOT c.unread' END,
    CASE WHEN p_senders IS NOT NULL THEN 'c.sender_key = ANY ($8)' END,
    CASE v_sort WHEN 'waiting' THEN 'c.waiting_since <= $10' END,
    CASE v_snoozed WHEN 'only' THEN 's.until IS NOT NULL' WHEN 'exclude' THEN 's.until IS NULL' END);
  v_query := format($query$
    SELECT found.* FROM unnest($3) AS place (placement)
    CROSS JOIN LATERAL (
      SELECT c, %1$s AS stood, s.until, c.id FROM conversations c %4$s
      WHERE c.tenant_id = $1 AND c.mailbox_id = $2 AND c.placement = place.placement
        AND c.created_at < $10 + interval '1 minute' AND c.id <> ALL ($14)
        AND %5$s AND (%1$s, c.id) %2$s ($11, $12)
      ORDER BY %1$s %3$s, c.id %3$s LIMIT $13) found$query$,
    v_by, v_beyond, v_order, v_snoozes, v_conditions);
  IF v.moved <> '{}' THEN
    -- Their positions then: the messages that the snapshot of the first page sees determine them.
    v_query := v_query || format($query$
    UNION ALL
    SELECT c, until_then.stood, s.until, c.id FROM unnest($14) AS moved (id)
    JOIN conversations c ON c.tenant_id = $1 AND c.id = moved.id %3$s
    CROSS JOIN LATERAL (
      SELECT max(m.received_at) AS stood FROM messages m
      WHERE m.tenant_id = $1 AND m.conversation_id = c.id
        AND (m.kept_by >= $16 OR pg_visible_in_snapshot(m.kept_by::text::xid8, $15))) until_then
    WHERE c.placement = ANY ($3) AND %2$s AND (until_then.stood, c.id) %1$s ($11, $12)$query$,
      v_beyond, v_conditions, v_snoozes);
  END IF;
  RETURN QUERY EXECUTE format(
    'SELECT page.c, page.stood, page.until FROM (%1$s) page ORDER BY page.stood %2$s, page.id %2$s LIMIT $13',
    v_query, v_order)
  USING p_tenant, v.mailbox, p_placements, p_statuses, p_assignee, v.label, p_team, p_senders,
    p_member, p_now, p_after_at, p_after_id, p_limit, v.moved, p_as_of,
    pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
END $$;
