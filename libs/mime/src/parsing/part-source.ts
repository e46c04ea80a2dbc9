import { Buffer } from 'node:buffer';

/** The place of a part's body in a raw message, and its encoding. */
export interface PartSource {
  /** Bytes from the start of the message. */
  readonly start: number;
  /** The first byte that is no longer its own: the line break before a delimiter is the delimiter's. */
  readonly end: number;
  /** Null if it is not encoded. */
  readonly encoding: 'base64' | 'quoted-printable' | null;
  /** The place, in what is decoded, of a file that is packed in it; absent for all of it. */
  readonly inner?: { readonly start: number; readonly end: number };
}

/** The decoded bytes of a part. Linear; bytes that break the encoding are skipped. */
export function partBytes(raw: Uint8Array, { inner, ...source }: PartSource): Buffer {
  const bytes = decodedBytes(raw, source);
  return inner ? bytes.subarray(inner.start, inner.end) : bytes;
}

function decodedBytes(raw: Uint8Array, { start, end, encoding }: PartSource): Buffer {
  const body = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).subarray(start, end);
  if (encoding === 'base64') {
    // Node takes the two that a URL's base64 has; in mail they are noise.
    return Buffer.from(body.toString('latin1').replace(/[-_]+/g, ''), 'base64');
  }
  return encoding === 'quoted-printable' ? unquoted(body) : body;
}

/**
 * The bytes of a text, up to a number of encoded ones. Unlike those of a file, what stands behind the padding of
 * base64 is kept: further runs of base64, or what a list has added in plain text.
 */
export function textBytes(raw: Uint8Array, source: PartSource, bytesMax: number): Buffer {
  const { start, encoding } = source;
  const end = Math.min(source.end, start + bytesMax);
  if (encoding !== 'base64') return partBytes(raw, { start, end, encoding });
  return base64Bytes(Buffer.from(raw.buffer, raw.byteOffset, end).toString('latin1', start));
}

/** All runs of base64 in a text, and what follows the first if it is none. */
export function base64Bytes(text: string): Buffer {
  const padded = text.indexOf('=');
  const rest = padded < 0 ? '' : text.slice(padded).replace(/^[=\s]+/, '');
  if (rest === '') return Buffer.from(text.replace(/[-_]+/g, ''), 'base64');
  const first = Buffer.from(text.slice(0, padded).replace(/[-_]+/g, ''), 'base64');
  if (/[^A-Za-z0-9+/=\s]|\w[ \t]+\w/.test(rest)) {
    return Buffer.concat([first, Buffer.from(`\n${rest}`, 'latin1')]);
  }
  return Buffer.concat([first, ...rest.split(/=+/).map((run) => Buffer.from(run, 'base64'))]);
}

/** The number of bytes of `partBytes`; for base64, the encoding of large files, without decoding them. */
export function partSize(raw: Uint8Array, source: PartSource): number {
  const { start, end, encoding, inner } = source;
  if (inner) return inner.end - inner.start;
  if (encoding === null) return Math.max(0, Math.min(end, raw.length) - start);
  if (encoding !== 'base64') return partBytes(raw, source).length;
  const body = raw.subarray(start, end);
  const padded = body.indexOf(padding);
  const digits = digitsOf(padded < 0 ? body : body.subarray(0, padded));
  return Math.floor((digits * 3) / 4);
}

/** The number of digits of base64 in a text. */
export function digitsOf(text: Uint8Array): number {
  let digits = 0;
  for (let at = 0; at < text.length; at++) digits += isDigit[text[at] ?? 0] ?? 0;
  return digits;
}

export const padding = '='.charCodeAt(0);
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** By byte, 1 for a digit of base64 (RFC 4648 §4): megabytes are counted without a branch for each. */
export const isDigit = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(alphabet.includes(String.fromCharCode(byte))),
);

/** RFC 2045 §6.7: soft line breaks and blanks at the end of a line go. A line says all of itself. */
export function unquoted(body: Buffer): Buffer {
  const lines = body.toString('latin1').split('\n');
  const decoded = lines
    .map((line, index) => {
      const hasReturn = line.endsWith('\r');
      const content = withoutFinalBlanks(hasReturn ? line.slice(0, -1) : line);
      if (content.endsWith('=')) return unescaped(content.slice(0, -1));
      return unescaped(content) + (hasReturn ? '\r' : '') + (index < lines.length - 1 ? '\n' : '');
    })
    .join('');
  return Buffer.from(decoded, 'latin1');
}

const unescaped = (content: string): string =>
  content.replace(/=([0-9A-Fa-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );

function withoutFinalBlanks(line: string): string {
  let end = line.length;
  while (end > 0 && (line[end - 1] === ' ' || line[end - 1] === '\t')) end--;
  return line.slice(0, end);
}
