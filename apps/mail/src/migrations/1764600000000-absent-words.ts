import { lookupFunction } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A word that is nowhere is found to be so before anything dear is asked (docs/adr/0019). What the
 * function keeps is written again: a migration that shared its text would change with another.
 */
export class AbsentWords1764600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(finding);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const signature = 'search_messages(text, text, text, text, jsonb, integer)';

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

/** Days (`d`) or periods of 28 days (`p`) of the mailbox: the newest, and as many in all. */
const lately = (unit: 'd' | 'p', newest: string, count: number): string => {
  const back = Array.from({ length: count }, (_, n) => n);
  const words = back.map((n) => `''${unit}:%1$s:%${n + 2}$s''`);
  const places = back.map((n) => `${newest} - ${n}`);
  return `format('${words.join('|')}', v_mailbox, ${places.join(', ')})::tsquery`;
};

const finding = `
  DROP FUNCTION ${signature};
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

    -- What is nowhere: the index says so for little, unless it has to gather what many messages have.
    -- That is seen among the newest, of one day, or by the index of two; of beginnings and phrases it
    -- is not, nor where two days hold next to nothing.
    IF p_query NOT LIKE '%:*%' AND p_query NOT LIKE '%<->%' AND v.until IS NULL THEN
      SELECT floor(extract(epoch FROM max(n.at)) / 86400), bool_or(n.document @@ v_full)
        OR max(n.at) - min(n.at) > interval '1 day'
      INTO v_newest, v_is_met FROM (
        SELECT d.at, d.document FROM search_documents d
        WHERE d.tenant_id = p_tenant AND d.mailbox_id = v_mailbox
        ORDER BY d.at DESC, d.message DESC LIMIT 4) n;
      IF NOT v_is_met THEN
        v_near := v_indexed && ${lately('d', 'v_newest', 2)};
        PERFORM FROM search_documents d WHERE d.document @@ v_near LIMIT 1;
        IF NOT FOUND THEN
          PERFORM FROM search_documents d WHERE d.document @@ v_all LIMIT 1;
          IF NOT FOUND THEN RETURN; END IF;
        END IF;
      END IF;
    END IF;

    -- What many messages match is found among the newest; left when they are seen to be few.
    FOR v_row IN
      SELECT d.conversation_id, d.message, d.at,
        CASE WHEN v_full IS NULL OR d.document @@ v_full THEN ${isWanted} END AS hit
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
        WHEN 1 THEN ${lately('d', 'v_newest', 3)}
        WHEN 2 THEN ${lately('p', 'v_month', 3)}
        ELSE v_in END;
      v_near := coalesce(v_indexed && v_near, v_near);
      v_conversations := '{}';
      v_messages := '{}';
      FOR v_row IN
        SELECT d.conversation_id, d.message FROM (
          SELECT d.tenant_id, d.conversation_id, d.message, d.at FROM search_documents d
          WHERE d.document @@ v_near
            AND ((p_query = p_indexed) IS NOT FALSE OR ts_match_vq(d.document, v_full))
          ORDER BY d.at DESC, d.message DESC OFFSET 0) d
        WHERE d.tenant_id = p_tenant AND d.at >= v_since AND d.at < v_until AND ${isWanted}
      LOOP
        ${take}
      END LOOP;
      EXIT WHEN cardinality(v_messages) = p_limit;
    END LOOP;
    IF v_messages <> '{}' THEN RETURN QUERY SELECT unnest(v_messages); END IF;
  END $$;
  ${lookupFunction('mail', signature)}
`;
