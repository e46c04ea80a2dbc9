import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';

const headBytesMax = 1024 * 1024;
const chunkBytes = 64 * 1024;

/**
 * Header fields that are added on the way, so that two copies of a message differ in them: trace
 * fields (RFC 5322 §3.6.7), what servers write at delivery, signatures and verdicts that their own
 * RFCs count as trace (DKIM RFC 6376 §3.5, RFC 8601 §4.1, ARC RFC 8617 §4.1), and what stores note of
 * their copy: mbox files, Thunderbird, Gmail, filters of spam.
 */
// prettier-ignore
const traceFields = [
  'received', 'return-path', 'delivered-to', 'x-delivered-to', 'x-original-to', 'envelope-to',
  'x-received', 'received-spf', 'authentication-results', 'dkim-signature', 'arc-[a-z-]+',
  'status', 'x-status', 'x-keywords', 'x-uid', 'x-imap', 'x-imapbase', 'content-length', 'lines',
  'x-mozilla-[a-z\\d-]+', 'x-uidl', 'x-gmail-labels', 'x-gm-[a-z-]+', 'x-spam-[a-z-]+',
];
const traceField = new RegExp(`^(?:${traceFields.join('|')})[ \\t]*:`, 'i');
const endOfField = /\n(?![ \t])/;

/**
 * SHA-256 (hex) of the content of a message, independent of its route: without trace fields, with line
 * endings as LF and none at the end. With the mailbox and the Message-ID it identifies a duplicate.
 * Linear, without a copy of the message; any bytes have a fingerprint.
 */
export function contentFingerprint(raw: Uint8Array): string {
  const message = Buffer.from(raw.buffer, raw.byteOffset, lengthWithoutFinalBreaks(raw));
  const headLength = lengthOfHead(message);
  const hash = createHash('sha256');
  hash.update(withoutTrace(lineFeedText(message, 0, headLength)), 'latin1');
  for (let start = headLength; start < message.length; start += chunkBytes) {
    hash.update(lineFeedText(message, start, start + chunkBytes), 'latin1');
  }
  return hash.digest('hex');
}

function lengthWithoutFinalBreaks(raw: Uint8Array): number {
  let end = raw.length;
  while (end > 0 && (raw[end - 1] === 0x0a || raw[end - 1] === 0x0d)) end--;
  return end;
}

/** Up to the empty line; a head beyond the bound counts as content from there on. */
export function lengthOfHead(message: Buffer): number {
  if (message[0] === 0x0a || message[0] === 0x0d) return 0;
  const start = message.subarray(0, headBytesMax);
  const ends = ['\n\n', '\n\r\n'].map((gap) => start.indexOf(gap)).filter((end) => end >= 0);
  return ends.length === 0 ? start.length : Math.min(...ends) + 1;
}

/** Text of native speed: a loop over the bytes would hold up the process for a large message. */
function lineFeedText(message: Buffer, start: number, end: number): string {
  return message.toString('latin1', start, end).replaceAll('\r', '');
}

function withoutTrace(head: string): string {
  const fields = head.split(endOfField);
  return fields.filter((field) => !traceField.test(field)).join('\n');
}
