import {
  newId,
  Problem,
  type ConversationLease,
  type LeaseConversation,
} from '@postroom/contracts';
import type { Reading, UnitOfWork } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { authorOf } from './add-comment.js';
import { movedEnvelope } from './place-conversation.js';
import { lockConversation } from './triage.js';

const held = statement<{ lease: ConversationLease | null }>(
  'conversations.lease_of',
  'SELECT lease_of($1, $2) AS lease',
);

/** Those who look at the mailbox are told by an internal event; nothing of the conversation changes. */
const keep = statement<object>(
  'conversations.keep_lease',
  `WITH published AS (
     INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
     VALUES ($1, $5, 'conversation.leased', $2 || ' lease', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $6)
   ), ended AS (
     DELETE FROM conversation_leases WHERE tenant_id = $1 AND conversation_id = $2 AND $4::timestamptz IS NULL
   )
   INSERT INTO conversation_leases (tenant_id, conversation_id, holder, until)
   SELECT $1, $2, $3::jsonb, $4::timestamptz WHERE $4::timestamptz IS NOT NULL
   ON CONFLICT (tenant_id, conversation_id) DO UPDATE
     SET holder = excluded.holder, until = excluded.until`,
);

/**
 * Notes who is answering a conversation, renews that, or gives it back. A member takes it over from any holder.
 * It is a unit of work of its own, with no audit record, since it changes no data of the workspace.
 *
 * @throws Problem CONVERSATION_NOT_FOUND, CONVERSATION_LEASED
 */
export function leaseConversation(
  { caller, tenantId }: Reading,
  { seconds, release, ...named }: LeaseConversation,
  work: UnitOfWork,
): Promise<ConversationLease | null> {
  const by = authorOf(caller);
  const origin = { tenantId, actor: { type: by.type, id: by.id }, source: caller.source } as const;
  return work.change(origin, null, async (changing) => {
    // Those who ask at once take turns.
    await lockConversation(changing, named);
    const [{ lease } = { lease: null }] = await changing.rows(held, [named.id]);
    if (lease && lease.by.id !== by.id && caller.type !== 'member')
      throw new Problem('CONVERSATION_LEASED', { fields: { leasedBy: lease } });
    const until = new Date(changing.at.getTime() + seconds * 1_000).toISOString();
    const event = [newId('evn'), movedEnvelope(changing, named)];
    const values = [named.id, JSON.stringify(by), release ? null : until, ...event];
    await changing.rows(keep, values);
    return { value: release ? null : { by, until } };
  });
}
