-- Answers true if an assignee matches a name: an address, the part before its @, or 'none'.
CREATE OR REPLACE FUNCTION is_assigned(p_assignee text, p_name text) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_name = 'none' THEN p_assignee IS NULL
    ELSE coalesce(p_name IN (p_assignee, split_part(p_assignee, '@', 1)), false) END
$$;

-- Answers true if labels and assignee meet the conditions: the expensive part, evaluated last.
CREATE OR REPLACE FUNCTION meets_team(p search_conditions, p_labels text[], p_assignee text)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT p.labels <@ p_labels AND NOT p.without_labels && p_labels
    AND NOT EXISTS (SELECT FROM unnest(p.assignees) a WHERE NOT is_assigned(p_assignee, a))
    AND NOT EXISTS (SELECT FROM unnest(p.without_assignees) a WHERE is_assigned(p_assignee, a))
$$;

-- Words that bound a search to the newest days (d) or periods of 28 days (p) of a mailbox: the newest one,
-- and p_count in all.
CREATE OR REPLACE FUNCTION recent_words(
  p_unit text, p_mailbox text, p_newest integer, p_count integer)
RETURNS tsquery LANGUAGE sql IMMUTABLE AS $$
  SELECT string_agg(format('''%s:%s:%s''', p_unit, p_mailbox, p_newest - n), '|' ORDER BY n)::tsquery
  FROM generate_series(0, p_count - 1) n
$$;

-- The assignees of a mailbox that match a name, as a conversation's assignee_key has them.
CREATE OR REPLACE FUNCTION assignees_named(p_tenant text, p_mailbox text, p_name text) RETURNS text[]
LANGUAGE sql STABLE AS $$
  -- One look-up in conversations_by_assignee for each assignee, however many conversations there are.
  WITH RECURSIVE found (key) AS (
    (SELECT c.assignee_key FROM conversations c WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox
      ORDER BY c.assignee_key LIMIT 1)
    UNION ALL
    SELECT (SELECT c.assignee_key FROM conversations c WHERE c.tenant_id = p_tenant AND c.mailbox_id = p_mailbox
      AND c.assignee_key > found.key ORDER BY c.assignee_key LIMIT 1)
    FROM found WHERE found.key IS NOT NULL)
  SELECT array_agg(key) FROM found WHERE key IS NOT NULL AND is_assigned(nullif(key, ''), p_name)
$$;

-- The query for the newest message of each conversation that meets the conditions. It follows the index of what may be
-- rare, a label, an assignee or unread, in the order of the answer, so that it reads neither all of a mailbox for the
-- few that have a label, nor all that have a label for a page.
CREATE OR REPLACE FUNCTION newest_of_conversations(v search_conditions) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT format($query$
    SELECT found.last_message_id, found.last_message_at FROM unnest(($3).placements) placed (placement)
    CROSS JOIN unnest(($3).statuses) work (status) CROSS JOIN unnest($4) named (assignee)
    CROSS JOIN LATERAL (
      SELECT met.last_message_id, o.last_message_at, o.%2$s AS id FROM %1$s o
      CROSS JOIN LATERAL (
        SELECT c.last_message_id FROM conversations c
        WHERE c.tenant_id = $1 AND c.id = o.%2$s AND c.last_message_id IS NOT NULL
          AND (($3).unread IS NULL OR c.unread = ($3).unread)
          AND ($3).labels <@ c.labels AND NOT ($3).without_labels && c.labels
          -- The expensive part, which the planner leaves out where no assignee is asked for.
          AND (($3).assignees || ($3).without_assignees = '{}' OR meets_team($3, c.labels, c.assignee))
        OFFSET 0) met
      WHERE o.tenant_id = $1 AND o.mailbox_id = $2 AND o.status = work.status
        AND o.placement = placed.placement AND (o.last_message_at, o.%2$s) < ($5, $6) AND %3$s
      ORDER BY o.last_message_at DESC, o.%2$s DESC LIMIT $7) found
    ORDER BY found.last_message_at DESC, found.id DESC LIMIT $7$query$,
    CASE WHEN v.labels <> '{}' THEN 'conversation_labels' ELSE 'conversations' END,
    CASE WHEN v.labels <> '{}' THEN 'conversation_id' ELSE 'id' END,
    CASE WHEN v.labels <> '{}' THEN 'o.label = (($3).labels)[1]'
      WHEN v.assignees <> '{}' THEN 'o.assignee_key = named.assignee'
      WHEN v.unread THEN 'o.unread' ELSE 'true' END)
$$;

-- The newest messages that match, the newest one of each conversation, newest first, and the times by which they are
-- ordered. A later page begins behind a result (p_at, p_message, p_conversation), and sees no message that came after
-- p_until, the time of the first result: so what comes meanwhile neither repeats nor hides one. It sees every tenant's
-- rows, because under a policy PostgreSQL leaves the index of words unused: each query names the tenant. How
-- it is planned, and why by hand: docs/adr/0019.
CREATE OR REPLACE FUNCTION search_messages(
  p_tenant text, p_address text, p_query text, p_indexed text, p_conditions jsonb, p_limit integer,
  p_until timestamptz DEFAULT 'infinity', p_at timestamptz DEFAULT 'infinity', p_message text DEFAULT '',
  p_conversation text DEFAULT '')
RETURNS TABLE (message text, at timestamptz) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
SET jit = off SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  -- Newest messages that are looked at one by one before the index of words is asked.
  c_scanned CONSTANT integer := 4096;
  v search_conditions;
  v_since timestamptz := '-infinity';
  v_until timestamptz := 'infinity';
  v_mailbox text := (
    SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_address);
  -- Null: any message will do.
  v_full tsquery := p_query::tsquery;
  v_indexed tsquery := CASE WHEN p_indexed = p_query THEN v_full ELSE p_indexed::tsquery END;
  v_in tsquery := quote_literal('m:' || v_mailbox)::tsquery;
  v_all tsquery := coalesce(v_indexed && v_in, v_in);
  v_near tsquery;
  v_row record;
  v_newest integer;
  v_month integer;
  v_is_met boolean;
  -- The index gathers all messages of all words that begin so, whatever bounds it.
  v_patience integer := CASE WHEN p_query LIKE '%:*%' THEN 40 ELSE 8 END;
  v_seen integer := 0;
  v_hits integer := 0;
  v_left boolean := false;
  v_conversations text[] := '{}';
  v_messages text[] := '{}';
  v_times timestamptz[] := '{}';
BEGIN
  IF v_mailbox IS NULL THEN RETURN; END IF;
  IF p_conditions IS NOT NULL THEN
    v := jsonb_populate_record(NULL::search_conditions, p_conditions);
    v_since := coalesce(v.since, v_since);
    v_until := coalesce(v.until, v_until);
    -- Labels as the mailbox writes them; a key that it does not have is no label's name.
    v.labels := ARRAY(
      SELECT coalesce(l.name, k.key) FROM unnest(v.labels) k (key)
      LEFT JOIN labels l ON l.tenant_id = p_tenant AND l.mailbox_id = v_mailbox AND l.key = k.key);
    v.without_labels := ARRAY(
      SELECT coalesce(l.name, k.key) FROM unnest(v.without_labels) k (key)
      LEFT JOIN labels l ON l.tenant_id = p_tenant AND l.mailbox_id = v_mailbox AND l.key = k.key);
  END IF;

  v_until := least(v_until, p_until + interval '1 millisecond');

  -- No condition on messages: the newest one of each conversation will do.
  IF p_query IS NULL AND v.since IS NULL AND v.until IS NULL THEN
    -- One assignee, any of them, where the query does not follow them: each would repeat the rows.
    RETURN QUERY EXECUTE newest_of_conversations(v)
      USING p_tenant, v_mailbox, v, CASE WHEN v.labels <> '{}' OR v.assignees = '{}' THEN ARRAY['']
        ELSE assignees_named(p_tenant, v_mailbox, v.assignees[1]) END, p_at, p_conversation, p_limit;
    RETURN;
  END IF;

  -- A word that is nowhere: the index says so at little cost, unless it has to gather what many messages
  -- have. Whether it has is seen among the newest, of one day, or by the index of two; not for beginnings
  -- and phrases, nor where two days hold next to nothing.
  IF p_query NOT LIKE '%:*%' AND p_query NOT LIKE '%<->%' AND v_until = 'infinity' THEN
    SELECT floor(extract(epoch FROM max(n.at)) / 86400), bool_or(n.document @@ v_full)
      OR max(n.at) - min(n.at) > interval '1 day'
    INTO v_newest, v_is_met FROM (
      SELECT d.at, d.document FROM search_documents d
      WHERE d.tenant_id = p_tenant AND d.mailbox_id = v_mailbox
      ORDER BY d.at DESC, d.message DESC LIMIT 4) n;
    IF NOT v_is_met THEN
      v_near := v_indexed && recent_words('d', v_mailbox, v_newest, 2);
      PERFORM FROM search_documents d WHERE d.document @@ v_near LIMIT 1;
      IF NOT FOUND THEN
        PERFORM FROM search_documents d WHERE d.document @@ v_all LIMIT 1;
        IF NOT FOUND THEN RETURN; END IF;
      END IF;
    END IF;
  END IF;

  -- Frequent matches are found among the newest messages; the scan is left when matches prove rare. The condition on
  -- the conversation is a value, so that it is asked of one message after the other, until there are enough.
  -- Its mailbox is compared by no index: beside many workspaces PostgreSQL expects few conversations of a mailbox, and
  -- reads all of them in an index that ends with the id.
  FOR v_row IN
    SELECT d.conversation_id, d.message, d.at,
      CASE WHEN v_full IS NULL OR d.document @@ v_full THEN
        (SELECT true FROM conversations c
          WHERE c.tenant_id = p_tenant AND c.id = d.conversation_id AND c.mailbox_id IS NOT DISTINCT FROM v_mailbox
            AND (p_conditions IS NOT NULL OR c.placement IN ('inbox', 'archived'))
            AND (p_conditions IS NULL OR (
              c.placement = ANY (v.placements) AND c.status = ANY (v.statuses)
              AND (v.unread IS NULL OR c.unread = v.unread)
              AND meets_team(v, c.labels, c.assignee)))) END AS hit
    FROM search_documents d
    WHERE d.tenant_id = p_tenant AND d.mailbox_id = v_mailbox
      AND d.at >= v_since AND d.at < v_until
    ORDER BY d.at DESC, d.message DESC LIMIT c_scanned
  LOOP
    v_seen := v_seen + 1;
    v_newest := coalesce(v_newest, floor(extract(epoch FROM v_row.at) / 86400));
    IF v_row.hit THEN
      v_hits := v_hits + 1;
      IF v_row.conversation_id <> ALL (v_conversations) THEN
        v_conversations := v_conversations || v_row.conversation_id;
        IF (v_row.at, v_row.message COLLATE "C") < (p_at, p_message) THEN
          v_messages := v_messages || v_row.message;
          v_times := v_times || v_row.at;
          EXIT WHEN cardinality(v_messages) = p_limit;
        END IF;
      END IF;
    END IF;
    v_left := v_seen = c_scanned OR v_seen % v_patience = 0 AND v_hits * 16 < v_seen;
    EXIT WHEN v_left;
  END LOOP;
  IF NOT v_left THEN
    RETURN QUERY SELECT unnest(v_messages), unnest(v_times);
    RETURN;
  END IF;

  -- The index: of the newest days, then of the newest months, then of all; each costs what it finds. What
  -- the days have nothing of is so rare that all of it is cheap.
  v_month := floor(v_newest / 28.0);
  FOR v_stage IN 1..3 LOOP
    CONTINUE WHEN v_stage = 2 AND v_conversations = '{}';
    v_near := CASE v_stage
      WHEN 1 THEN recent_words('d', v_mailbox, v_newest, 3)
      WHEN 2 THEN recent_words('p', v_mailbox, v_month, 3)
      ELSE v_in END;
    v_near := coalesce(v_indexed && v_near, v_near);
    v_conversations := '{}';
    v_messages := '{}';
    v_times := '{}';
    FOR v_row IN
      SELECT d.conversation_id, d.message, d.at FROM (
        SELECT d.tenant_id, d.conversation_id, d.message, d.at FROM search_documents d
        WHERE d.document @@ v_near
          AND ((p_query = p_indexed) IS NOT FALSE OR ts_match_vq(d.document, v_full))
        ORDER BY d.at DESC, d.message DESC OFFSET 0) d
      WHERE d.tenant_id = p_tenant AND d.at >= v_since AND d.at < v_until
        AND (SELECT true FROM conversations c
          WHERE c.tenant_id = p_tenant AND c.id = d.conversation_id AND c.mailbox_id IS NOT DISTINCT FROM v_mailbox
            AND (p_conditions IS NOT NULL OR c.placement IN ('inbox', 'archived'))
            AND (p_conditions IS NULL OR (
              c.placement = ANY (v.placements) AND c.status = ANY (v.statuses)
              AND (v.unread IS NULL OR c.unread = v.unread)
              AND meets_team(v, c.labels, c.assignee))))
    LOOP
      IF v_row.conversation_id <> ALL (v_conversations) THEN
        v_conversations := v_conversations || v_row.conversation_id;
        CONTINUE WHEN (v_row.at, v_row.message COLLATE "C") >= (p_at, p_message);
        v_messages := v_messages || v_row.message;
        v_times := v_times || v_row.at;
        EXIT WHEN cardinality(v_messages) = p_limit;
      END IF;
    END LOOP;
    EXIT WHEN cardinality(v_messages) = p_limit;
  END LOOP;
  RETURN QUERY SELECT unnest(v_messages), unnest(v_times);
END $$;

-- The fields of a message and its conversation that a result shows; only the beginning of a long text.
CREATE OR REPLACE FUNCTION found_message(p_tenant text, p_message text, p_characters integer)
RETURNS TABLE (id text, conversation_id text, subject text, preview text, sender jsonb,
  recipients jsonb, cc jsonb, text text, last_message_at timestamptz, labels text[])
LANGUAGE plpgsql STABLE AS $$
BEGIN
  PERFORM set_config('postroom.tenant', p_tenant, true);
  RETURN QUERY
    SELECT m.id, m.conversation_id, m.subject, m.preview, m.sender, m.recipients, m.cc,
      left(coalesce(m.text, ''), p_characters), c.last_message_at, c.labels
    FROM messages m
    JOIN conversations c ON c.tenant_id = m.tenant_id AND c.id = m.conversation_id
    WHERE m.tenant_id = p_tenant AND m.id = p_message;
END $$;
