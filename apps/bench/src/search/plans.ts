/** Query plans that PostgreSQL is forced to use for a search. */
export const planNames = ['planner', 'walk', 'index', 'sequential'] as const;

export type PlanName = (typeof planNames)[number];

interface Plan {
  /** The planner settings of its function. */
  readonly settings: string;
  /** Messages that match, newest first, with the conversation of each. */
  readonly text: string;
}

const wanted = `c.placement IN ('inbox', 'archived') AND (p_unread IS NULL OR c.unread = p_unread)`;

/** The obvious query. */
const plain = `
  SELECT d.message, d.conversation_id FROM search_documents d
  JOIN conversations c ON c.tenant_id = d.tenant_id AND c.id = d.conversation_id
  WHERE d.tenant_id = p_tenant AND d.mailbox_id = v_mailbox AND d.document @@ v_words AND ${wanted}
  ORDER BY d.at DESC, d.message DESC LIMIT 100`;

/** All matches by the index of words, before any other condition is tested. */
const byWords = `
  WITH hits AS MATERIALIZED (
    SELECT d.tenant_id, d.message, d.conversation_id, d.at FROM search_documents d
    WHERE d.document @@ v_words)
  SELECT d.message, d.conversation_id FROM hits d
  JOIN conversations c ON c.tenant_id = d.tenant_id AND c.id = d.conversation_id
  WHERE d.tenant_id = p_tenant AND ${wanted}
  ORDER BY d.at DESC, d.message DESC LIMIT 100`;

const plans: Readonly<Record<PlanName, Plan>> = {
  planner: { settings: '', text: plain },
  walk: {
    settings: 'SET enable_bitmapscan = off SET enable_seqscan = off SET enable_sort = off',
    text: plain,
  },
  index: { settings: 'SET enable_seqscan = off', text: byWords },
  sequential: { settings: 'SET enable_bitmapscan = off SET enable_indexscan = off', text: plain },
};

/**
 * A plan as the product has to run it: in a function of the look-up role, which finds the mailbox by
 * its address and takes the newest message of each conversation until there are 25. 100 messages are
 * enough for that in what the bench searches.
 */
export const planFunction = (name: PlanName): string => `
  CREATE FUNCTION mail.bench_${name}(
    p_tenant text, p_address text, p_words text, p_unread boolean)
  RETURNS SETOF text LANGUAGE plpgsql STABLE SECURITY DEFINER
  SET search_path = mail, public SET jit = off ${plans[name].settings} AS $$
  DECLARE
    v_mailbox text := (
      SELECT m.id FROM mailboxes m WHERE m.tenant_id = p_tenant AND m.address = p_address);
    v_words tsquery := p_words::tsquery && quote_literal('m:' || v_mailbox)::tsquery;
    v_row record;
    v_conversations text[] := '{}';
    v_messages text[] := '{}';
  BEGIN
    FOR v_row IN ${plans[name].text} LOOP
      CONTINUE WHEN v_row.conversation_id = ANY (v_conversations);
      v_conversations := v_conversations || v_row.conversation_id;
      v_messages := v_messages || v_row.message;
      EXIT WHEN cardinality(v_messages) = 25;
    END LOOP;
    RETURN QUERY SELECT unnest(v_messages);
  END $$;
  GRANT CREATE ON SCHEMA mail TO postroom_mail_lookup;
  ALTER FUNCTION mail.bench_${name}(text, text, text, boolean) OWNER TO postroom_mail_lookup;
  REVOKE CREATE ON SCHEMA mail FROM postroom_mail_lookup`;
