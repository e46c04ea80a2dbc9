import { Buffer } from 'node:buffer';
import { digitsOf, isDigit, padding, partBytes, unquoted, type PartSource } from './part-source.js';

const tab = 0x09;
const carriageReturn = 0x0d;
const blank = 0x20;
/** An end of a line that says no more than that is given as it is. A piece has to be longer. */
const undecidedMax = 64 * 1024;

/** The progress of decoding a file. */
export interface DecodedUpTo {
  /** The place in the message of the byte that is decoded next. */
  readonly at: number;
  /** The digits of base64 before it that make no byte yet. */
  readonly digits: string;
  /** Bytes of the decoded part before it; `inner` counts them. */
  readonly decoded: number;
}

export const beginningOf = ({ start }: PartSource): DecodedUpTo => ({
  at: start,
  digits: '',
  decoded: 0,
});

/** Bytes of a file, and how far they go: null at its end. */
interface DecodedPiece {
  readonly bytes: Buffer;
  readonly next: DecodedUpTo | null;
}

/**
 * Decodes the next piece of a file: the bytes of its message from `at` on, however many. Bytes that break the encoding
 * are skipped.
 */
export function decodedPiece(
  piece: Buffer,
  { end, encoding, inner }: Omit<PartSource, 'start'>,
  { at, digits, decoded }: DecodedUpTo,
): DecodedPiece {
  const isLast = at + piece.length >= end;
  const { bytes, used, open } = decode(piece, { encoding, digits, isLast });
  const next = { at: at + used, digits: open, decoded: decoded + bytes.length };
  const isOver = isLast || open === padded || next.decoded >= (inner?.end ?? Infinity);
  const placeOf = (byte: number): number => Math.max(0, byte - decoded);
  const own = inner ? bytes.subarray(placeOf(inner.start), placeOf(inner.end)) : bytes;
  return { bytes: own, next: isOver ? null : next };
}

interface Decoding {
  readonly encoding: PartSource['encoding'];
  readonly digits: string;
  readonly isLast: boolean;
}

/** The bytes that a piece says, how many of its own say them, and the digits at its end that make no byte yet. */
interface Decoded {
  readonly bytes: Buffer;
  readonly used: number;
  readonly open: string;
}

function decode(piece: Buffer, { encoding, digits, isLast }: Decoding): Decoded {
  if (encoding === 'base64') return decodedBase64(Buffer.from(digits), piece, isLast);
  if (encoding === null) return { bytes: piece, used: piece.length, open: '' };
  const used = isLast ? piece.length : decidedEnd(piece);
  return { bytes: unquoted(piece.subarray(0, used)), used, open: '' };
}

/** In the place of open digits: there are no more. */
const padded = '=';

/** RFC 2045 §6.8: bytes that are no digit are skipped, and padding ends it. */
function decodedBase64(before: Buffer, piece: Buffer, isLast: boolean): Decoded {
  const all = before.length > 0 ? Buffer.concat([before, piece]) : piece;
  const end = all.indexOf(padding);
  const text = end < 0 ? all : all.subarray(0, end);
  const bytes = partBytes(text, { start: 0, end: text.length, encoding: 'base64' });
  const used = piece.length;
  if (end >= 0 || isLast) return { bytes, used, open: end < 0 ? '' : padded };
  const digits = digitsOf(text);
  const whole = bytes.subarray(0, Math.floor(digits / 4) * 3);
  return { bytes: whole, used, open: lastDigits(text, digits % 4) };
}

function lastDigits(text: Buffer, count: number): string {
  let digits = '';
  for (let at = text.length - 1; digits.length < count; at--) {
    const byte = text[at] ?? 0;
    if (isDigit[byte] === 1) digits = String.fromCharCode(byte) + digits;
  }
  return digits;
}

/**
 * RFC 2045 §6.7: the end of what can be decoded without the rest of its line. Behind it are blanks, which go where the
 * line ends, and the beginning of an escape.
 */
function decidedEnd(text: Buffer): number {
  let end = text.length;
  while (end > 0 && (isOpen(text[end - 1]) || text[end - 2] === padding)) end -= 1;
  return text.length - end > undecidedMax ? text.length : end;
}

const isOpen = (byte: number | undefined): boolean =>
  byte === blank || byte === tab || byte === carriageReturn || byte === padding;
