import { tenantPolicy } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Labels, snoozes, and lists by placement, status, assignee, label and change. */
export class Triage1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(labels + snoozes + changes + indexes);
    await runner.query(lists);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const labels = `
  -- How a mailbox writes its labels: the first spelling stays. The key is a hash of sameText(name).
  CREATE TABLE labels (
    tenant_id text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, mailbox_id, key)
  );
  ${tenantPolicy('labels')}

  -- The labels of conversations again, in the order of lists. conversations.labels is the truth; a
  -- GIN index on it would serve nobody, since row-level security keeps @> from using one.
  CREATE TABLE conversation_labels (
    tenant_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    label text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    status text NOT NULL,
    placement text COLLATE "C" NOT NULL,
    last_message_at timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, conversation_id, label)
  );
  CREATE INDEX conversation_labels_list ON conversation_labels
    (tenant_id, mailbox_id, label, status, placement, last_message_at DESC, conversation_id DESC);
  ${tenantPolicy('conversation_labels')}

  -- Whoever writes the row, from whatever search path.
  CREATE FUNCTION keep_conversation_labels() RETURNS trigger LANGUAGE plpgsql
  SET search_path = mail, public AS $$
  BEGIN
    DELETE FROM conversation_labels l
      WHERE l.tenant_id = NEW.tenant_id AND l.conversation_id = NEW.id;
    INSERT INTO conversation_labels
      SELECT NEW.tenant_id, NEW.id, label, NEW.mailbox_id, NEW.status, NEW.placement,
        NEW.last_message_at
      FROM unnest(NEW.labels) label;
    RETURN NULL;
  END $$;
  CREATE TRIGGER labels_new AFTER INSERT ON conversations
    FOR EACH ROW WHEN (NEW.labels <> '{}') EXECUTE FUNCTION keep_conversation_labels();
  CREATE TRIGGER labels_changed AFTER UPDATE ON conversations
    FOR EACH ROW WHEN (
      (OLD.labels <> '{}' OR NEW.labels <> '{}')
      AND (OLD.labels, OLD.status, OLD.placement, OLD.last_message_at)
        IS DISTINCT FROM (NEW.labels, NEW.status, NEW.placement, NEW.last_message_at))
    EXECUTE FUNCTION keep_conversation_labels();

  -- The spelling of each label of a mailbox; one that it does not have yet is taken as it is given.
  -- In the order of keys, so that two requests never wait for each other.
  CREATE FUNCTION spell_labels(p_tenant text, p_mailbox_id text, p_keys text[], p_names text[])
  RETURNS TABLE (key text, name text) LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO labels AS l (tenant_id, mailbox_id, key, name)
      SELECT p_tenant, p_mailbox_id, given.key COLLATE "C" AS given_key, given.name
      FROM unnest(p_keys, p_names) AS given (key, name) ORDER BY given_key
      ON CONFLICT DO NOTHING;
    RETURN QUERY SELECT l.key, l.name FROM labels l
      WHERE l.tenant_id = p_tenant AND l.mailbox_id = p_mailbox_id AND l.key = ANY (p_keys);
  END $$;
`;

const snoozes = `
  -- A conversation hidden from one member. A row whose time has come is as none; it stays for its
  -- version, which a renewed snooze must not repeat.
  CREATE TABLE snoozes (
    tenant_id text COLLATE "C" NOT NULL,
    member_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    reminder_id text COLLATE "C" NOT NULL,
    until timestamptz(3) NOT NULL,
    version integer NOT NULL,
    PRIMARY KEY (tenant_id, member_id, conversation_id),
    FOREIGN KEY (tenant_id, conversation_id) REFERENCES conversations
  );
  CREATE INDEX snoozes_end ON snoozes (tenant_id, member_id, until);
  ${tenantPolicy('snoozes')}

  CREATE FUNCTION snoozed_until(
    p_tenant text, p_member text, p_conversation text, p_now timestamptz) RETURNS timestamptz
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    RETURN (
      SELECT s.until FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
        AND s.conversation_id = p_conversation AND s.until > p_now);
  END $$;
`;

const changes = `
  -- When a row was last written, by the database's clock and never before updated_at: the order of
  -- the walk by change (docs/adr/0017). What was there before is taken as written now.
  ALTER TABLE conversations ADD COLUMN changed_at timestamptz(3) NOT NULL DEFAULT now();

  CREATE FUNCTION stamp_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.changed_at := greatest(clock_timestamp(), NEW.updated_at);
    RETURN NEW;
  END $$;
  CREATE TRIGGER stamp_change BEFORE INSERT OR UPDATE ON conversations
    FOR EACH ROW EXECUTE FUNCTION stamp_change();

  -- A time before which nothing can be written any more: each transaction that may have stamped a row
  -- and is not to be seen yet began at that time or later. Those under way are waited for, a moment.
  CREATE FUNCTION settled_until() RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
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
`;

const indexes = `
  -- Nobody is '': what is compared must be a plain column, since row-level security keeps an expression
  -- from using an index.
  ALTER TABLE conversations ADD COLUMN assignee_key text COLLATE "C" NOT NULL
    GENERATED ALWAYS AS (coalesce(assignee, '')) STORED;

  CREATE INDEX conversations_by_change ON conversations (tenant_id, mailbox_id, changed_at, id);
  CREATE INDEX conversations_by_status ON conversations
    (tenant_id, mailbox_id, status, placement, last_message_at DESC, id DESC);
  CREATE INDEX conversations_by_assignee ON conversations
    (tenant_id, mailbox_id, assignee_key, status, placement, last_message_at DESC, id DESC);
`;

const notHidden = `NOT EXISTS (
  SELECT FROM snoozes s WHERE s.tenant_id = p_tenant AND s.member_id = p_member
    AND s.conversation_id = c.id AND s.until > p_now)`;

const ofAssignee = `(p_assignee IS NULL OR c.assignee_key = p_assignee)`;

/** What the filters ask of a conversation \`c\`; an assignee of '' is nobody. */
const wanted = `
  c.placement = ANY (p_placements) AND c.status = ANY (p_statuses) AND ${ofAssignee}
  AND (v_label IS NULL OR v_label = ANY (c.labels))`;

const filters = 'p_placements text[], p_statuses text[], p_assignee text, p_label_key text';

const findMailbox = `
  PERFORM set_config('postroom.tenant', p_tenant, true);
  SELECT m.id INTO v_mailbox FROM mailboxes m
    WHERE m.tenant_id = p_tenant AND m.address = p_mailbox;
  IF p_label_key IS NOT NULL THEN
    SELECT l.name INTO v_label FROM labels l
      WHERE l.tenant_id = p_tenant AND l.mailbox_id = v_mailbox AND l.key = p_label_key;
    IF v_label IS NULL THEN RETURN; END IF;
  END IF;`;

/**
 * A walk, newest first, from a place in the list as it stood at p_as_of; one source for each index
 * that can drive it. A conversation that mail has moved to the top since then is shown where it stood:
 * its messages say when it had arrived until then.
 */
const walk = (name: string, source: string): string => `
  CREATE FUNCTION ${name}(
    p_tenant text, p_mailbox text, p_member text, p_now timestamptz, p_as_of timestamptz,
    p_after_at timestamptz, p_after_id text, p_limit integer, ${filters})
  RETURNS TABLE (conversation conversations, stood_at timestamptz)
  LANGUAGE plpgsql STABLE AS $$
  DECLARE
    v_mailbox text;
    v_label text;
  BEGIN
    ${findMailbox}
    RETURN QUERY
      SELECT walk.c, walk.stood FROM (
        (SELECT source.c, source.stood, source.id FROM unnest(p_placements) AS place (placement)
         ${source} source)
        UNION ALL
        (SELECT c, until_then.stood, c.id FROM conversations c
         CROSS JOIN LATERAL (
           SELECT max(m.received_at) AS stood FROM messages m
           WHERE m.tenant_id = p_tenant AND m.conversation_id = c.id AND m.received_at <= p_as_of
         ) until_then
         WHERE c.tenant_id = p_tenant AND c.mailbox_id = v_mailbox AND ${wanted} AND ${notHidden}
           AND c.last_message_at > p_as_of
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
      AND c.last_message_at <= p_as_of AND (c.last_message_at, c.id) < (p_after_at, p_after_id)
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
        AND ${ofAssignee} AND ${notHidden} OFFSET 0) found
    WHERE l.tenant_id = p_tenant AND l.mailbox_id = v_mailbox AND l.label = v_label
      AND l.status = work.status AND l.placement = place.placement
      AND l.last_message_at <= p_as_of
      AND (l.last_message_at, l.conversation_id) < (p_after_at, p_after_id)
    ORDER BY l.last_message_at DESC, l.conversation_id DESC
    LIMIT p_limit)`;

const lists = `
  -- The inbox of a member who may have snoozed something: most have nothing that is hidden now, and
  -- for them it is the list of everybody.
  CREATE FUNCTION list_conversations(
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
          AND ${notHidden}
        ORDER BY c.last_message_at DESC, c.id DESC
        LIMIT p_limit;
    ELSE
      RETURN QUERY
        SELECT c.* FROM conversations c
        WHERE c.tenant_id = p_tenant AND c.placement = 'inbox' AND c.mailbox_id = (
          SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_mailbox)
        ORDER BY c.last_message_at DESC, c.id DESC
        LIMIT p_limit;
    END IF;
  END $$;

  -- continue_conversations stays for the processes of the version before, which still ask it.
  ${walk('walk_by_placement', conversationsWhere(`c.status = ANY (p_statuses) AND ${ofAssignee}`))}
  ${walk('walk_by_status', everyStatus + conversationsWhere(`c.status = work.status AND ${ofAssignee}`))}
  ${walk(
    'walk_by_assignee',
    everyStatus + conversationsWhere('c.assignee_key = p_assignee AND c.status = work.status'),
  )}
  ${walk('walk_by_label', labelled)}

  -- The walk by change: what was written at p_since or later, the first first. It stops before what
  -- may still be under way, so that no row slips in behind it (volatile: the query sees all that had
  -- been committed when the end was found).
  CREATE FUNCTION walk_by_change(
    p_tenant text, p_mailbox text, p_member text, p_now timestamptz, p_since timestamptz,
    p_after_at timestamptz, p_after_id text, p_limit integer, ${filters})
  RETURNS TABLE (conversation conversations, snoozed_until timestamptz)
  LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    v_mailbox text;
    v_label text;
    v_end timestamptz := settled_until();
  BEGIN
    ${findMailbox}
    RETURN QUERY
      SELECT c, s.until FROM conversations c
      LEFT JOIN snoozes s ON s.tenant_id = p_tenant AND s.member_id = p_member
        AND s.conversation_id = c.id AND s.until > p_now
      WHERE c.tenant_id = p_tenant AND c.mailbox_id = v_mailbox AND ${wanted}
        AND c.changed_at >= p_since AND c.changed_at < v_end
        AND (c.changed_at, c.id) > (p_after_at, p_after_id)
      ORDER BY c.changed_at, c.id
      LIMIT p_limit;
  END $$;
`;
