import type {
  ConversationItem,
  ConversationReceived,
  InvitationReceived,
  Message,
  MessageAuth,
} from '@postroom/contracts';
import { newId } from '@postroom/contracts/ids';
import type { ParsedMessage } from '@postroom/mime';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const bodyBytesMax = 64 * 1024;
/** Limit for addresses, identifiers and files, as JSON: the bus carries 1.5 MiB, and no real message has so many. */
const listBytesMax = 256 * 1024;
const listLengthMax = 20;

/**
 * The data of the events `conversation.received` and `message.sent`. A body over 64 KiB is left out, and so is all
 * but the start of lists over 256 KiB; `dataTruncated` is true then.
 */
export function messageEventData(
  conversation: ConversationItem,
  message: Message,
): ConversationReceived {
  const fits = (body: string | null): boolean =>
    body === null || Buffer.byteLength(body) <= bodyBytesMax;
  const kept = (body: string | null): string | null => (fits(body) ? body : null);
  const { text, html, extractedText, to, cc, bcc, replyTo, references, attachments } = message;
  const lists = { to, cc, bcc, replyTo, references, attachments };
  const isCut = Buffer.byteLength(JSON.stringify(lists)) > listBytesMax;
  return {
    conversation,
    message: {
      ...message,
      ...(isCut && {
        to: to.slice(0, listLengthMax),
        cc: cc.slice(0, listLengthMax),
        bcc: bcc.slice(0, listLengthMax),
        replyTo: replyTo.slice(0, listLengthMax),
        references: references.slice(0, listLengthMax),
        attachments: attachments.slice(0, listLengthMax),
      }),
      text: kept(text),
      html: kept(html),
      extractedText: kept(extractedText),
    },
    dataTruncated: isCut || ![text, html, extractedText].every(fits),
  };
}

const publish = statement<object>(
  'invitations.tell',
  `INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
   VALUES ($1, $2, 'invitation.received', $3, 1, $4)`,
);

/** Addresses that a calendar part may name; as long as they are, and as many as are looked at. */
const addressForm = /[^\s:;,"<>@]{1,64}@[^\s:;,"<>@]{1,255}/g;
const addressesMax = 1000;

const findOurs = statement<{ address: string }>(
  'invitations.find_ours',
  'SELECT address FROM mailboxes WHERE tenant_id = $1 AND address = ANY ($2)',
);

/** A message, and what is known of its sender. */
interface Sent {
  readonly parsed: ParsedMessage;
  readonly auth?: MessageAuth;
  readonly isAligned?: boolean;
}

/** Publishes an internal event to scheduling for a message with a calendar part, in the commit that stores it. */
export async function publishInvitation(
  { rows, at }: Pick<Changing, 'rows' | 'at'>,
  { parsed, auth, isAligned = false }: Sent,
  messageId: string,
): Promise<void> {
  const { calendar, from } = parsed;
  // Authentication is about the address in From, not about the sender that is shown.
  if (calendar === undefined || !from?.email) return;
  const named = calendar.match(addressForm) ?? [];
  const addresses = new Set(named.slice(0, addressesMax).map((one) => one.toLowerCase()));
  const found = await rows(findOurs, [[...addresses]]);
  const received: InvitationReceived = {
    ...{ occurredAt: at.toISOString(), messageId, sender: from.email },
    ...{ dmarc: auth?.dmarc ?? null, isAligned, calendar },
    ours: found.map(({ address }) => address),
  };
  await rows(publish, [newId('evn'), messageId, JSON.stringify(received)]);
}
