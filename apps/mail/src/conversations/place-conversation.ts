import {
  newId,
  placements,
  Problem,
  type ChangeConversation,
  type ConversationMoved,
  type GetConversation,
  type MarkConversation,
  type MarkResult,
  type MoveConversation,
  type MoveResult,
  type Placement,
} from '@postroom/contracts';
import { requireVersion, type Changing } from '@postroom/operations';
import { statement, type Statement } from '@postroom/persistence';

/** A conversation before a change, and its version after it; null where there was nothing to change. */
interface Changed {
  readonly version: number;
  readonly placement: Placement;
  readonly next: number | null;
}

/** The row, locked: what is decided about it holds until the commit. */
const found = `found AS (
     SELECT c.id, c.version, c.placement FROM conversations c
     JOIN mailboxes m ON m.tenant_id = c.tenant_id AND m.id = c.mailbox_id
     WHERE c.tenant_id = $1 AND m.address = $2 AND c.id = $3
     FOR NO KEY UPDATE OF c
   )`;

const answer = `SELECT f.version, f.placement, d.version AS next FROM found f LEFT JOIN done d ON true`;

/** The internal event of what was done, for members who look at the mailbox. */
const published = (type: string): string => `published AS (
     INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
     SELECT $1, $6::text, ${type}, d.id || ' state', d.version, $7::text FROM done d, found f
   )`;

const placeAnew = statement<Changed>(
  'conversations.place',
  `WITH ${found}, done AS (
     UPDATE conversations c SET placement = $4, version = c.version + 1,
       updated_at = greatest(c.updated_at, $5::timestamptz)
     FROM found WHERE c.tenant_id = $1 AND c.id = found.id AND c.placement <> $4
       AND c.placement = ANY ($8::text[])
     RETURNING c.id, c.version
   ), ${published(`CASE WHEN $4 = 'archived' THEN 'conversation.archived'
       WHEN $4 = 'inbox' AND f.placement = 'archived' THEN 'conversation.reopened'
       ELSE 'conversation.moved' END`)}, counted AS (
     INSERT INTO volume_deltas (tenant_id, at, kind)
     SELECT $1, $5::timestamptz, 'conversations.' || v.kind FROM done, found
     CROSS JOIN LATERAL (VALUES
       ('archived', $4 = 'archived'), ('reopened', $4 = 'inbox' AND found.placement = 'archived')
     ) AS v (kind, happened)
     WHERE v.happened
   )
   ${answer}`,
);

const markAnew = statement<Changed>(
  'conversations.mark',
  `WITH ${found}, done AS (
     UPDATE conversations c SET unread = $4, version = c.version + 1,
       updated_at = greatest(c.updated_at, $5::timestamptz)
     FROM found WHERE c.tenant_id = $1 AND c.id = found.id AND c.unread <> $4
     RETURNING c.id, c.version
   ), ${published(`'conversation.read'`)}
   ${answer}`,
);

/**
 * Moves a conversation from some placements to another; in any other, nothing changes. Members who look at the
 * mailbox are told by an internal event.
 * @throws Problem CONVERSATION_NOT_FOUND, VERSION_CONFLICT
 */
export async function placeConversation(
  context: Changing<never>,
  input: ChangeConversation,
  { from, to }: { readonly from: readonly Placement[]; readonly to: Placement },
): Promise<MoveResult> {
  const { version, placement, next } = await changed(context, placeAnew, input, [to, from]);
  const isMoved = next !== null;
  return {
    placement: isMoved ? to : placement,
    changed: isMoved,
    version: next ?? version,
  };
}

/** Moves a conversation from wherever it is. */
export const moveConversation = (
  context: Changing<never>,
  input: MoveConversation,
): Promise<MoveResult> =>
  placeConversation(context, input, { from: placements, to: input.placement });

/** Marks a conversation as read or unread, for all who read the mailbox. */
export async function markConversation(
  context: Changing<never>,
  input: MarkConversation,
): Promise<MarkResult> {
  const { unread } = input;
  const { version, next } = await changed(context, markAnew, input, [unread]);
  return { unread, changed: next !== null, version: next ?? version };
}

async function changed(
  context: Changing<never>,
  change: Statement<Changed>,
  { ifMatch, ...named }: ChangeConversation,
  [to, ...more]: readonly unknown[],
): Promise<Changed> {
  const event = [newId('evn'), movedEnvelope(context, named)];
  const values = [named.mailbox, named.id, to, context.at, ...event, ...more];
  const [done] = await context.rows(change, values);
  if (!done) throw new Problem('CONVERSATION_NOT_FOUND');
  requireVersion(done, ifMatch);
  return done;
}

/** The envelope of the internal event about a change that has no public event. */
export function movedEnvelope(
  { at }: Pick<Changing, 'at'>,
  { id, mailbox }: Pick<GetConversation, 'id' | 'mailbox'>,
): string {
  const moved: ConversationMoved = { occurredAt: at.toISOString(), conversation: { id, mailbox } };
  return JSON.stringify(moved);
}
