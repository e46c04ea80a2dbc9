import { Buffer } from 'node:buffer';
import { lengthOfHead } from './content-fingerprint.js';
import { firstMessageId } from './message-ids.js';

/** RFC 5322 §2.2.3: the field's body may begin on a line below its name. */
const field = /^message-id[ \t]*:([^\r\n]*(?:\r?\n[ \t][^\r\n]*)?)/im;

/**
 * The Message-ID of a message whose parse was given up, wherever in its head it stands: by it a sender
 * who tries again is recognised, and answers find their thread. Linear, over the head alone.
 */
export function messageIdInHead(raw: Uint8Array): string | null {
  const message = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const found = field.exec(message.toString('latin1', 0, lengthOfHead(message)));
  // Written as UTF-8 (RFC 6532), it is an identifier of those bytes.
  return firstMessageId(Buffer.from(found?.[1] ?? '', 'latin1').toString());
}
