import type { ConversationItem } from '@postroom/contracts';
import { newId } from '@postroom/contracts/plain';
import type { ReadMessage } from '@postroom/mime';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { conversationColumns } from '../conversations/plain.js';
import type { Recipient } from './recipient.js';
import { ancestorsOf } from './threading.js';

const place = statement<{ duplicate: boolean; conversationId: string }>(
  'inbound.place',
  `SELECT duplicate, conversation_id AS "conversationId"
   FROM place_message($1, $2, $3, $4, $5, $6, $7, $8)`,
);

const lock = statement<ConversationItem>(
  'inbound.lock',
  `SELECT ${conversationColumns('c', '$3::text')} FROM conversations c
   WHERE c.tenant_id = $1 AND c.id = $2 FOR NO KEY UPDATE`,
);

/** Rolls back what was begun for a message that is here already. */
export class AlreadyHere extends Error {}

/**
 * The conversation that a message belongs to, a new one if need be, locked until the commit.
 * @throws AlreadyHere
 */
export async function placeArrival(
  changing: Changing,
  { mailboxId, address }: Pick<Recipient, 'mailboxId' | 'address'>,
  parsed: ReadMessage,
): Promise<ConversationItem> {
  const [placed] = await changing.rows(place, [
    mailboxId,
    parsed.messageId,
    parsed.fingerprint,
    ancestorsOf(parsed),
    newId('cnv'),
    parsed.subject,
    changing.at,
  ]);
  if (!placed || placed.duplicate) throw new AlreadyHere();
  const [found] = await changing.rows(lock, [placed.conversationId, address]);
  if (!found) throw new Error(`thread of ${placed.conversationId}, which does not exist`);
  return found;
}
