import type { ApprovalRequest } from '@postroom/contracts';
import { draftIn, mailboxOf, type Fields } from './request/headline.js';

/** The conversation that a request is about, where its mailbox is known. */
export function conversationOf(
  approval: ApprovalRequest,
): { readonly conversationId: string; readonly mailbox: string } | null {
  const mailbox = mailboxOf(approval);
  if (mailbox === null) return null;
  const { target, payload, difference } = approval;
  const places: readonly (Fields | null | undefined)[] = [
    draftIn(payload),
    difference?.after,
    difference?.before,
  ];
  const ids = [
    target?.type === 'conversation' ? target.id : null,
    ...places.map((place) => place?.threadId),
  ];
  const id = ids.find((one): one is string => typeof one === 'string');
  return id === undefined ? null : { conversationId: id, mailbox };
}
