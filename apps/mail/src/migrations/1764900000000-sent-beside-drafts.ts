import { lookupFunction } from '@postroom/operations';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A send's conversation is locked as triage locks it: rows that name it may come meanwhile. And one
 * whose process is gone is believed dead by everybody while it is looked after.
 */
export class SentBesideDrafts1764900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(placeSent + takeOpenSends);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

/**
 * As it was, but for the lock of the conversation. A draft names its conversation first (a foreign key's
 * KEY SHARE) and counts itself there then: two of them and a receipt that waited for the whole row waited
 * for each other.
 */
const placeSent = `
  CREATE OR REPLACE FUNCTION place_sent(
    p_tenant text, p_mailbox text, p_key text, p_conversation text, p_candidate text,
    p_message_id text, p_ancestors text[], p_subject text, p_at timestamptz)
  RETURNS TABLE (state text, receipt text, conversation conversations) LANGUAGE plpgsql AS $$
  DECLARE
    v_state text;
    v_receipt text;
    v_conversation text := p_conversation;
  BEGIN
    SELECT r.state, r.receipt INTO v_state, v_receipt FROM send_reservations r
      WHERE r.tenant_id = p_tenant AND r.mailbox_id = p_mailbox AND r.idempotency_key = p_key
      FOR UPDATE;
    IF v_state IN ('transmitting', 'unknown') THEN
      IF v_conversation IS NULL THEN
        SELECT p.conversation_id INTO v_conversation FROM place_message(
          p_tenant, p_mailbox, p_message_id, '', p_ancestors, p_candidate, p_subject, p_at) p;
      END IF;
      RETURN QUERY SELECT v_state, v_receipt, c FROM conversations c
        WHERE c.tenant_id = p_tenant AND c.id = v_conversation FOR NO KEY UPDATE;
    ELSE
      RETURN QUERY SELECT v_state, v_receipt, NULL::conversations;
    END IF;
  END $$;
`;

/**
 * As it was, but for the lease of one whose process is gone: it stays past, also to a transaction that
 * began before this one, which told its caller that somebody worked on it.
 */
const takeOpenSends = `
  CREATE OR REPLACE FUNCTION take_open_sends(p_limit integer)
  RETURNS TABLE (tenant_id text, mailbox_id text, idempotency_key text) LANGUAGE sql AS $$
    WITH due AS (
      SELECT r.tenant_id, r.mailbox_id, r.idempotency_key FROM send_reservations r
      WHERE r.state IN ('transmitting', 'unknown') AND r.lease_until < now()
      ORDER BY r.lease_until LIMIT p_limit FOR UPDATE SKIP LOCKED
    )
    UPDATE send_reservations r SET lease_until = now() + CASE r.state
        WHEN 'transmitting' THEN interval '-1 second'
        ELSE least(interval '10 minutes', greatest(interval '2 seconds', (now() - r.created_at) / 10))
      END
      FROM due WHERE r.tenant_id = due.tenant_id AND r.mailbox_id = due.mailbox_id
        AND r.idempotency_key = due.idempotency_key
      RETURNING r.tenant_id, r.mailbox_id, r.idempotency_key $$;
  ${lookupFunction('mail', 'take_open_sends(integer)')}
`;
