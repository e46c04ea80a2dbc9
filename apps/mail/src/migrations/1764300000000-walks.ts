import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Walks newest first that nothing moves a conversation out of, whenever its mail is committed. */
export class Walks1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(arrivals);
    await runner.query(walks);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const arrivals = `
  -- The transaction that brought a message. What a snapshot does not see of these came after it,
  -- whatever the message's own time says: an import brings old mail, and a delivery has the time of
  -- its beginning. Null: it was here before this column. A bigint, since row-level security lets no
  -- comparison of xid8 use an index.
  ALTER TABLE messages ADD COLUMN kept_by bigint;

  CREATE FUNCTION stamp_message() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.kept_by := pg_current_xact_id()::text::bigint;
    RETURN NEW;
  END $$;
  CREATE TRIGGER stamp_message BEFORE INSERT ON messages
    FOR EACH ROW EXECUTE FUNCTION stamp_message();

  CREATE INDEX messages_kept ON messages (tenant_id, mailbox_id, kept_by)
    WHERE kept_by IS NOT NULL;
`;

const notHidden = `NOT EXISTS (
  SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
    AND s.conversation_id = c.id AND s.until > p_now)`;

const ofAssignee = `(p_assignee IS NULL OR c.assignee_key = p_assignee)`;

/**
 * Whether it may have been there when the walk began. An import makes hundreds of thousands that were
 * not, whose messages need not be looked at; a minute is more than clocks differ.
 */
const isOld = `c.created_at < p_now + interval '1 minute'`;

/**
 * A walk, newest first, from a place in the list as the snapshot p_as_of saw it; of none, as it is.
 * One source for each index that can drive it. A conversation that mail has come to since then is
 * shown where it stood: the messages that the snapshot sees say where that was.
 *
 * A transaction that is not begun yet can have brought nothing: such a number is one of another
 * server, whose rows were restored into this one.
 */
const walk = (name: string, source: string): string => `
  CREATE FUNCTION ${name}(
    p_tenant text, p_mailbox text, p_member text, p_now timestamptz, p_as_of pg_snapshot,
    p_after_at timestamptz, p_after_id text, p_limit integer,
    p_placements text[], p_statuses text[], p_assignee text, p_label_key text)
  RETURNS TABLE (conversation conversations, stood_at timestamptz)
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    v_mailbox text;
    v_label text;
    v_moved text[] := '{}';
    v_since bigint;
    v_begun bigint;
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    SELECT m.id INTO v_mailbox FROM mailboxes m
      WHERE m.tenant_id = p_tenant AND m.address = p_mailbox;
    IF p_label_key IS NOT NULL THEN
      SELECT l.name INTO v_label FROM labels l
        WHERE l.tenant_id = p_tenant AND l.mailbox_id = v_mailbox AND l.key = p_label_key;
      IF v_label IS NULL THEN RETURN; END IF;
    END IF;
    IF p_as_of IS NOT NULL THEN
      v_since := pg_snapshot_xmin(p_as_of)::text::bigint;
      v_begun := pg_snapshot_xmax(pg_current_snapshot())::text::bigint;
      SELECT coalesce(array_agg(c.id), '{}') INTO v_moved FROM (
          SELECT DISTINCT m.conversation_id AS id FROM messages m
          WHERE m.tenant_id = p_tenant AND m.mailbox_id = v_mailbox
            AND m.kept_by >= v_since AND m.kept_by < v_begun
            AND NOT pg_visible_in_snapshot(m.kept_by::text::xid8, p_as_of)) later
        JOIN conversations c ON c.tenant_id = p_tenant AND c.id = later.id AND ${isOld};
    END IF;
    RETURN QUERY
      SELECT walk.c, walk.stood FROM (
        (SELECT source.c, source.stood, source.id FROM unnest(p_placements) AS place (placement)
         ${source} source)
        UNION ALL
        (SELECT c, until_then.stood, c.id FROM unnest(v_moved) AS moved (id)
         JOIN conversations c ON c.tenant_id = p_tenant AND c.id = moved.id
         CROSS JOIN LATERAL (
           SELECT max(m.received_at) AS stood FROM messages m
           WHERE m.tenant_id = p_tenant AND m.conversation_id = c.id
             AND (m.kept_by IS NULL OR m.kept_by >= v_begun
               OR pg_visible_in_snapshot(m.kept_by::text::xid8, p_as_of))
         ) until_then
         WHERE c.placement = ANY (p_placements) AND c.status = ANY (p_statuses) AND ${ofAssignee}
           AND (v_label IS NULL OR v_label = ANY (c.labels)) AND ${notHidden}
           AND (until_then.stood, c.id) < (p_after_at, p_after_id)
         ORDER BY until_then.stood DESC, c.id DESC
         LIMIT p_limit)
      ) walk
      ORDER BY walk.stood DESC, walk.id DESC
      LIMIT p_limit;
  END $$;
`;

/** What a condition says twice, the planner counts twice: each source asks for the rest alone. */
const conversationsWhere = (condition: string): string => `
  CROSS JOIN LATERAL (
    SELECT c, c.last_message_at AS stood, c.id FROM conversations c
    WHERE c.tenant_id = p_tenant AND c.mailbox_id = v_mailbox AND ${condition}
      AND c.placement = place.placement
      AND (c.last_message_at, c.id) < (p_after_at, p_after_id)
      AND ${isOld} AND c.id <> ALL (v_moved)
      AND (v_label IS NULL OR v_label = ANY (c.labels)) AND ${notHidden}
    ORDER BY c.last_message_at DESC, c.id DESC
    LIMIT p_limit)`;

const everyStatus = 'CROSS JOIN unnest(p_statuses) AS work (status)';

const labelled = `
  ${everyStatus}
  CROSS JOIN LATERAL (
    SELECT found.c, l.last_message_at AS stood, l.conversation_id AS id FROM conversation_labels l
    -- OFFSET 0 keeps it a look-up for each row of the index above, whatever the planner guesses.
    CROSS JOIN LATERAL (
      SELECT c FROM conversations c WHERE c.tenant_id = p_tenant AND c.id = l.conversation_id
        AND ${ofAssignee} AND ${isOld} AND ${notHidden} OFFSET 0) found
    WHERE l.tenant_id = p_tenant AND l.mailbox_id = v_mailbox AND l.label = v_label
      AND l.status = work.status AND l.placement = place.placement
      AND (l.last_message_at, l.conversation_id) < (p_after_at, p_after_id)
      AND l.conversation_id <> ALL (v_moved)
    ORDER BY l.last_message_at DESC, l.conversation_id DESC
    LIMIT p_limit)`;

const ofStatus = (condition: string): string =>
  everyStatus + conversationsWhere(`${condition} AND c.status = work.status`);

const walks = `
  -- walk_by_placement and its like stay for the processes of the version before, which still ask them.
  ${walk('list_by_placement', conversationsWhere(`c.status = ANY (p_statuses) AND ${ofAssignee}`))}
  ${walk('list_by_status', ofStatus(ofAssignee))}
  ${walk('list_by_assignee', ofStatus('c.assignee_key = p_assignee'))}
  ${walk('list_by_label', labelled)}
`;
