import { domainToUnicode } from 'node:url';
import { Problem } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { routingAddress, withoutSubAddress } from '../routing-address.js';

const isOwn = statement<{ own: boolean }>(
  'persons.is_own_address',
  'SELECT is_own_address($1, $2) AS own',
);

/**
 * The spellings under which messages name a correspondent, in lower case.
 * @throws Problem OWN_ADDRESS for a mailbox of the workspace
 */
export async function personAddresses(
  { rows }: Pick<Reading, 'rows'>,
  email: string,
): Promise<readonly string[]> {
  const routed = routingAddress(email);
  const [found] = await rows(isOwn, [withoutSubAddress(routed)]);
  if (found?.own) throw new Problem('OWN_ADDRESS');
  const at = routed.lastIndexOf('@') + 1;
  return [...new Set([email, routed, routed.slice(0, at) + domainToUnicode(routed.slice(at))])];
}

const messages = statement<{
  readonly id: string | null;
  readonly conversationId: string;
  readonly isAuthor: boolean;
  readonly sizeBytes: number;
  readonly scanned: string | null;
}>(
  'persons.messages',
  `SELECT id, conversation_id AS "conversationId", is_author AS "isAuthor", size_bytes AS "sizeBytes", scanned
   FROM person_messages($1, $2, $3, $4, $5)`,
);

/** A message from or to a person. */
export interface PersonMessage {
  readonly id: string;
  readonly conversationId: string;
  readonly isAuthor: boolean;
  readonly sizeBytes: number;
}

/** Messages that are looked at in one step. */
const scannedMax = 2_000;

/** The next messages from or to a person, and where the rest begins; null for nothing more to look at. */
export async function nextMessages(
  { rows }: Pick<Reading, 'rows'>,
  addresses: readonly string[],
  after: string,
  max: number,
): Promise<{ readonly found: readonly PersonMessage[]; readonly after: string | null }> {
  const answered = await rows(messages, [addresses, after, scannedMax, max]);
  const found = answered.flatMap(({ id, scanned: _, ...one }) =>
    id === null ? [] : [{ id, ...one }],
  );
  const scanned = answered.find(({ id }) => id === null)?.scanned ?? null;
  return { found, after: found.length === max ? (found.at(-1)?.id ?? null) : scanned };
}
