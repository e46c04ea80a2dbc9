import type { InvitationReceived, MessageAuth } from '@postroom/contracts';
import { newId } from '@postroom/contracts/ids';
import type { ParsedMessage } from '@postroom/mime';
import type { Changing } from '@postroom/operations';
import { statement } from '@postroom/persistence';

const tell = statement<object>(
  'invitations.tell',
  `INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
   VALUES ($1, $2, 'invitation.received', $3, 1, $4)`,
);

/** Tells scheduling of a message with a calendar part, in the commit that stores it. */
export async function tellInvitation(
  { rows, at }: Pick<Changing, 'rows' | 'at'>,
  { parsed, auth }: { readonly parsed: ParsedMessage; readonly auth?: MessageAuth },
  messageId: string,
): Promise<void> {
  const { calendar, from } = parsed;
  if (calendar === undefined || from === null) return;
  const received: InvitationReceived = {
    ...{ occurredAt: at.toISOString(), messageId, sender: from.email },
    ...{ dmarc: auth?.dmarc ?? null, calendar },
  };
  await rows(tell, [newId('evn'), messageId, JSON.stringify(received)]);
}
