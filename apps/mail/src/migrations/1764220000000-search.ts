import { lookupFunction, tenantPolicy, visible } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Search (docs/adr/0019): what is searched of each message, and the function that finds it. */
export class Search1764220000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(documents);
    await runner.query(conditions);
    await runner.query(finding);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const documents = `
  CREATE TABLE search_documents (
    tenant_id text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    mailbox_id text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    at timestamptz(3) NOT NULL,
    document tsvector NOT NULL,
    PRIMARY KEY (tenant_id, message),
    FOREIGN KEY (tenant_id, message) REFERENCES messages ON DELETE CASCADE
  );
  CREATE INDEX search_documents_newest ON search_documents
    (tenant_id, mailbox_id, at DESC, message DESC);
  -- Without a list of pending entries, which every search would have to read through.
  CREATE INDEX search_documents_words ON search_documents USING gin (document)
    WITH (fastupdate = off);
  ${tenantPolicy('search_documents')}

  -- Null: not in search_documents yet. What is stored by an instance that knows nothing of search is
  -- found by this.
  ALTER TABLE messages ADD COLUMN searchable boolean;
  CREATE INDEX messages_to_index ON messages (tenant_id) WHERE searchable IS NULL;

  CREATE FUNCTION tenants_to_index() RETURNS SETOF text LANGUAGE sql STABLE AS $$
    SELECT DISTINCT m.tenant_id FROM messages m WHERE m.searchable IS NULL $$;
  ${visible('mail', 'messages', 'SELECT (tenant_id, searchable)')}
  ${lookupFunction('mail', 'tenants_to_index()')}
`;

const conditions = `
  CREATE TYPE search_conditions AS (
    placements text[], statuses text[], unread boolean, labels text[], without_labels text[],
    assignees text[], without_assignees text[], since timestamptz, until timestamptz
  );

  -- Whether somebody is who a search names: by address, by what stands before its @, or nobody.
  CREATE FUNCTION is_assigned(p_assignee text, p_name text) RETURNS boolean
  LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN p_name = 'none' THEN p_assignee IS NULL
      ELSE coalesce(p_name IN (p_assignee, split_part(p_assignee, '@', 1)), false) END $$;

  -- What labels and assignee have to be: the dear part, asked only where something is.
  CREATE FUNCTION meets_team(p search_conditions, p_labels text[], p_assignee text)
  RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT p.labels <@ p_labels AND NOT p.without_labels && p_labels
      AND NOT EXISTS (SELECT FROM unnest(p.assignees) a WHERE NOT is_assigned(p_assignee, a))
      AND NOT EXISTS (SELECT FROM unnest(p.without_assignees) a WHERE is_assigned(p_assignee, a)) $$;
`;

/** Newest messages that are looked at one by one before the index of words is asked. */
const walkMax = 4096;
const meetsConditions = `
  c.placement IN ('inbox', 'archived') AND (p_conditions IS NULL OR (
    c.placement = ANY (v.placements) AND c.status = ANY (v.statuses)
    AND (v.unread IS NULL OR c.unread = v.unread) AND meets_team(v, c.labels, c.assignee)))`;

/** As a value, so that it is asked of one message after the other, until there are enough. */
const isWanted = `
  (SELECT true FROM conversations c
    WHERE c.tenant_id = p_tenant AND c.id = d.conversation_id AND c.mailbox_id = v_mailbox
      AND ${meetsConditions})`;

/** The next of the rows, newest first, is one of the results, if its conversation is none yet. */
const take = `
  IF v_row.conversation_id <> ALL (v_conversations) THEN
    v_conversations := v_conversations || v_row.conversation_id;
    v_messages := v_messages || v_row.message;
    EXIT WHEN cardinality(v_messages) = p_limit;
  END IF;`;

/** Labels as the mailbox writes them; a key that it does not have is no label's name. */
const spelled = (keys: string): string => `ARRAY(
        SELECT coalesce(l.name, k.key) FROM unnest(${keys}) k (key)
        LEFT JOIN labels l ON l.tenant_id = p_tenant AND l.mailbox_id = v_mailbox AND l.key = k.key)`;

const finding = `
  -- The newest messages that match, the newest one of each conversation, newest first. It sees every
  -- tenant's rows, because under a policy PostgreSQL leaves the index of words unused: each query
  -- names the tenant. How it is planned, and why by hand: docs/adr/0019.
  CREATE FUNCTION search_messages(
    p_tenant text, p_address text, p_query text, p_indexed text, p_conditions jsonb, p_limit integer)
  RETURNS SETOF text LANGUAGE plpgsql STABLE
  SET jit = off SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
    v search_conditions;
    v_since timestamptz := '-infinity';
    v_until timestamptz := 'infinity';
    v_mailbox text := (
      SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_address);
    v_in tsquery := quote_literal('m:' || v_mailbox)::tsquery;
    v_full tsquery := coalesce(p_query::tsquery && v_in, v_in);
    v_indexed tsquery := coalesce(p_indexed::tsquery && v_in, v_in);
    v_near tsquery;
    v_row record;
    v_newest bigint;
    v_month bigint;
    -- The index gathers all messages of all words that begin so, whatever bounds it.
    v_patience integer := CASE WHEN p_query LIKE '%:*%' THEN 40 ELSE 8 END;
    v_seen integer := 0;
    v_hits integer := 0;
    v_left boolean := false;
    v_conversations text[] := '{}';
    v_messages text[] := '{}';
  BEGIN
    IF v_mailbox IS NULL THEN RETURN; END IF;
    IF p_conditions IS NOT NULL THEN
      v := jsonb_populate_record(NULL::search_conditions, p_conditions);
      v_since := coalesce(v.since, v_since);
      v_until := coalesce(v.until, v_until);
      v.labels := ${spelled('v.labels')};
      v.without_labels := ${spelled('v.without_labels')};
    END IF;

    -- Nothing is asked of a message: the newest one of each conversation will do.
    IF p_query IS NULL AND v.since IS NULL AND v.until IS NULL THEN
      RETURN QUERY
        SELECT found.last_message_id FROM unnest(v.placements) placed (placement)
        CROSS JOIN LATERAL (
          SELECT c.id, c.last_message_id, c.last_message_at FROM conversations c
          WHERE c.tenant_id = p_tenant AND c.mailbox_id = v_mailbox
            AND c.placement = placed.placement AND c.last_message_id IS NOT NULL
            AND ${meetsConditions}
          ORDER BY c.last_message_at DESC, c.id DESC LIMIT p_limit) found
        ORDER BY found.last_message_at DESC, found.id DESC LIMIT p_limit;
      RETURN;
    END IF;

    -- What many messages match is found among the newest; left when they are seen to be few.
    FOR v_row IN
      SELECT d.conversation_id, d.message, d.at,
        CASE WHEN d.document @@ v_full THEN ${isWanted} END AS hit
      FROM search_documents d
      WHERE d.tenant_id = p_tenant AND d.mailbox_id = v_mailbox
        AND d.at >= v_since AND d.at < v_until
      ORDER BY d.at DESC, d.message DESC LIMIT ${walkMax}
    LOOP
      v_seen := v_seen + 1;
      v_newest := coalesce(v_newest, floor(extract(epoch FROM v_row.at) / 86400));
      IF v_row.hit THEN
        v_hits := v_hits + 1;
        ${take}
      END IF;
      v_left := v_seen = ${walkMax} OR v_seen % v_patience = 0 AND v_hits * 16 < v_seen;
      EXIT WHEN v_left;
    END LOOP;
    IF NOT v_left THEN
      RETURN QUERY SELECT unnest(v_messages);
      RETURN;
    END IF;

    -- The index: of the newest days, then of the newest months, then of all; each costs what it
    -- finds. What the days have nothing of is so rare that all of it is cheap.
    v_month := floor(v_newest / 28.0);
    FOR v_stage IN 1..3 LOOP
      CONTINUE WHEN v_stage = 2 AND v_messages = '{}';
      v_near := CASE v_stage
        WHEN 1 THEN v_indexed && format('''d:%1$s:%2$s''|''d:%1$s:%3$s''|''d:%1$s:%4$s''',
          v_mailbox, v_newest, v_newest - 1, v_newest - 2)::tsquery
        WHEN 2 THEN v_indexed && format('''p:%1$s:%2$s''|''p:%1$s:%3$s''|''p:%1$s:%4$s''',
          v_mailbox, v_month, v_month - 1, v_month - 2)::tsquery
        ELSE v_indexed END;
      v_conversations := '{}';
      v_messages := '{}';
      FOR v_row IN
        SELECT d.conversation_id, d.message FROM (
          SELECT d.tenant_id, d.conversation_id, d.message, d.at FROM search_documents d
          WHERE d.document @@ v_near AND (v_full = v_indexed OR ts_match_vq(d.document, v_full))
          ORDER BY d.at DESC, d.message DESC OFFSET 0) d
        WHERE d.tenant_id = p_tenant AND d.at >= v_since AND d.at < v_until AND ${isWanted}
      LOOP
        ${take}
      END LOOP;
      EXIT WHEN cardinality(v_messages) = p_limit;
    END LOOP;
    IF v_messages <> '{}' THEN RETURN QUERY SELECT unnest(v_messages); END IF;
  END $$;
  ${visible('mail', 'search_documents')}
  ${visible('mail', 'labels')}
  ${visible(
    'mail',
    'conversations',
    `SELECT (tenant_id, id, mailbox_id, placement, status, unread, labels, assignee,
      last_message_id, last_message_at)`,
  )}
  ${lookupFunction('mail', 'search_messages(text, text, text, text, jsonb, integer)')}

  -- What a result shows of a message and its conversation; of a long text its beginning.
  CREATE FUNCTION found_message(p_tenant text, p_message text, p_characters integer)
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
`;
