import { buffer } from 'node:stream/consumers';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { pieceBytes } from './piece-bytes.js';

// The driver reads texts only: base64 is a third less than the hexadecimal of bytea, and read faster.
const read = statement<{ base64: string | null }>(
  'originals.piece',
  `SELECT encode(message_piece($1, $2, $3, $4), 'base64') AS base64`,
);

const unstageMessage = statement<object>('originals.unstage', 'SELECT unstage_message($1, $2)');

/** Places in a message, in bytes: from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/**
 * Bytes of a message as it was received or sent, 256 KiB at most at a time.
 * @throws Error when there is no such message, or less of it
 */
export async function* originalPieces(
  { rows }: Pick<Reading, 'rows'>,
  message: string,
  { start, end }: Span,
): AsyncGenerator<Buffer, void> {
  for (let at = start; at < end;) {
    const [row] = await rows(read, [message, at, Math.min(pieceBytes, end - at)]);
    if (typeof row?.base64 !== 'string') throw new Error(`the bytes of ${message} are gone`);
    const piece = Buffer.from(row.base64, 'base64');
    if (piece.length === 0) {
      if (end === Infinity) return;
      throw new Error(`the bytes of ${message} end at ${at}`);
    }
    yield piece;
    at += piece.length;
  }
}

/** All of a message. @throws Error when there is no such message */
export const wholeOriginal = (reading: Pick<Reading, 'rows'>, message: string): Promise<Buffer> =>
  buffer(originalPieces(reading, message, { start: 0, end: Infinity }));

/** Deletes the staged pieces of a message that does not leave. */
export async function unstage({ rows }: Pick<Reading, 'rows'>, message: string): Promise<void> {
  await rows(unstageMessage, [message]);
}
