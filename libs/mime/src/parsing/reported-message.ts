import type { Attachment } from 'postal-mime';
import { bytesOf } from './attachments.js';
import { headerFields, headerValue } from './header-lines.js';
import { firstMessageId } from './message-ids.js';

const returned = /^(?:message\/(?:rfc822|global)|text\/rfc822-headers|message\/global-headers)$/i;
const status = /^message\/(?:global-)?delivery-status$/i;
const action = /^action:[ \t]*([a-z]+)/gim;
const headBytes = 64 * 1024;

/** Whether a report tells of what arrived, or may yet arrive, and of nothing else (RFC 3464 §2.3.3). */
export function tellsOfNoFailure(attachments: readonly Attachment[]): boolean {
  const texts = attachments
    .filter(({ mimeType }) => status.test(mimeType))
    .map((part) => bytesOf(part).toString('latin1', 0, headBytes));
  const actions = texts.flatMap((text) => [...text.matchAll(action)]).map((found) => found[1]);
  return actions.length > 0 && !actions.some((word) => word?.toLowerCase() === 'failed');
}

/** The Message-ID of the message that a report returns, or the head of it (RFC 3462 §2); else null. */
export function reportedMessageId(attachments: readonly Attachment[]): string | null {
  const original = attachments.find(({ mimeType }) => returned.test(mimeType));
  if (!original) return null;
  const lines = bytesOf(original).toString('latin1', 0, headBytes).split(/\r?\n/);
  const gap = lines.indexOf('');
  const head = headerFields(gap < 0 ? lines : lines.slice(0, gap));
  return firstMessageId(headerValue(head, 'message-id'));
}
