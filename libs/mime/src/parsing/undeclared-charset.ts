import { Buffer, isAscii, isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';

const headBytesMax = 64 * 1024;
const legacyCharset = 'windows-1252';
const charsetParameter = /(charset\s*=\s*"?)([^\s;"]+)/i;
/** Charsets that mailers and cron declare without looking at the text. */
const sayingNothing =
  /^(?:us-ascii|ascii|ansi_x3\.4-19\d\d|x?-?unknown(?:-8bit)?|x-user-defined|8bit|default|none)$/i;

/**
 * The message with 8-bit text that declares no charset as declared UTF-8, which is how the MIME
 * parser reads it: header lines, and the body of a message that is one text part. What is no
 * UTF-8 is taken for windows-1252, as browsers do; declared charsets are left to the parser.
 */
export function withCharsetDeclared(raw: Uint8Array): Uint8Array {
  if (isAscii(raw)) return raw;
  const headLength = lengthOfHead(raw);
  const head = raw.subarray(0, headLength);
  const body = raw.subarray(headLength);
  const headText = new TextDecoder('latin1').decode(head);
  const charset = charsetParameter.exec(headText)?.[2] ?? 'unknown';
  const newHead = isUtf8(head) ? head : linesAsUtf8(head, charset);
  if (sayingNothing.test(charset) && isOneText(headText) && !isAscii(body)) {
    return Buffer.concat([declaredUtf8(newHead), asUtf8(body, legacyCharset)]);
  }
  return newHead === head ? raw : Buffer.concat([newHead, body]);
}

/** A text without a charset, which may have been cut within a character. */
export function textOfUndeclared(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder(legacyCharset).decode(bytes);
  }
}

function isOneText(headText: string): boolean {
  return headText !== '' && !/^content-type:\s*(?!text\/)\w/im.test(headText);
}

/** Up to the empty line after the fields; 0, and the message as it is, if none is in reach. */
function lengthOfHead(raw: Uint8Array): number {
  const start = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.length, headBytesMax));
  const ends = ['\n\n', '\n\r\n'].map((gap) => start.indexOf(gap)).filter((end) => end >= 0);
  return ends.length === 0 ? 0 : Math.min(...ends) + 1;
}

function declaredUtf8(head: Uint8Array): Uint8Array {
  return Buffer.from(new TextDecoder().decode(head).replace(charsetParameter, '$1utf-8'));
}

/** Line by line, since a relay may have added UTF-8 lines to others that are not. */
function linesAsUtf8(head: Uint8Array, charset: string): Uint8Array {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < head.length;) {
    const feed = head.indexOf(0x0a, start);
    const end = feed < 0 ? head.length : feed + 1;
    lines.push(asUtf8(head.subarray(start, end), charset));
    start = end;
  }
  return Buffer.concat(lines);
}

function asUtf8(bytes: Uint8Array, charset: string): Uint8Array {
  return isUtf8(bytes) ? bytes : Buffer.from(decoderOf(charset).decode(bytes));
}

function decoderOf(charset: string): TextDecoder {
  const legacy = new TextDecoder(legacyCharset);
  try {
    const declared = new TextDecoder(charset);
    // Declared or not: what comes here is no UTF-8.
    return declared.encoding === 'utf-8' ? legacy : declared;
  } catch {
    return legacy;
  }
}
