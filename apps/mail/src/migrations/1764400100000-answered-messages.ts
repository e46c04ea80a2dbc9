import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A message that is answered is found wherever it is in its mailbox, so that another thread can be told. */
export class AnsweredMessages1764400100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(answered);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('Migrations go forward only.'));
  }
}

const answered = `
  -- What a message in a mailbox answers: the message that is named, in whatever conversation, or else
  -- the newest one of the conversation. is_there: whether the conversation is, if one is named.
  CREATE OR REPLACE FUNCTION answered_message(
    p_tenant text, p_mailbox text, p_thread text, p_message text)
  RETURNS TABLE (is_there boolean, conversation_id text, message_id text, reference_ids text[])
  LANGUAGE plpgsql STABLE AS $$
  BEGIN
    PERFORM set_config('postroom.tenant', p_tenant, true);
    IF p_thread IS NOT NULL AND NOT EXISTS (
      SELECT FROM conversations c
      WHERE c.tenant_id = p_tenant AND c.id = p_thread AND c.mailbox_id = p_mailbox) THEN
      RETURN QUERY SELECT false, NULL::text, NULL::text, NULL::text[];
      RETURN;
    END IF;
    RETURN QUERY
      SELECT true, found.conversation_id, found.message_id, found.reference_ids
      FROM (SELECT) one LEFT JOIN LATERAL (
        SELECT m.conversation_id, m.message_id, m.reference_ids FROM messages m
        WHERE m.tenant_id = p_tenant AND m.id = p_message AND m.mailbox_id = p_mailbox
      UNION ALL (
        SELECT m.conversation_id, m.message_id, m.reference_ids FROM messages m
        WHERE m.tenant_id = p_tenant AND m.conversation_id = p_thread AND p_message IS NULL
          AND m.message_id IS NOT NULL
        ORDER BY m.received_at DESC, m.id DESC LIMIT 1)
      ) found ON true;
  END $$;
`;
