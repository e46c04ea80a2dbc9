import { buffer } from 'node:stream/consumers';
import type { Reading } from '@postroom/operations';
import { servicePool } from '@postroom/persistence/service-pool';
import { statement } from '@postroom/persistence/statement';

/** The part of a large message that is written and read at a time. */
export const pieceBytes = 256 * 1024;

// The driver reads texts only: base64 is a third less than the hexadecimal of bytea, and read faster.
const read = statement<{ base64: string | null }>(
  'originals.piece',
  `SELECT encode(message_piece($1, $2, $3, $4), 'base64') AS base64`,
);

const unstageMessage = statement<object>('originals.unstage', 'SELECT unstage_message($1, $2)');

/** Places in a message, in bytes: from `start` to before `end`. */
interface Span {
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

/** The bytes from `start` on, up to 256 KiB. @throws Error as {@link originalPieces} */
export function originalPart(
  reading: Pick<Reading, 'rows'>,
  message: string,
  { start, end }: Span,
): Promise<Buffer> {
  const span = { start, end: Math.min(end, start + pieceBytes) };
  return buffer(originalPieces(reading, message, span));
}

/** All of a message. @throws Error when there is no such message */
export const wholeOriginal = (reading: Pick<Reading, 'rows'>, message: string): Promise<Buffer> =>
  buffer(originalPieces(reading, message, { start: 0, end: Infinity }));

/** Deletes the staged pieces of a message that does not leave. */
export async function unstage({ rows }: Pick<Reading, 'rows'>, message: string): Promise<void> {
  await rows(unstageMessage, [message]);
}

const stagePiece = statement<object>('originals.stage', 'SELECT stage_piece($1, $2, $3, $4, $5)');

/** The key of a staged message: one that is stored before it is decided that it leaves. */
export interface Staged {
  readonly tenantId: string;
  readonly message: string;
}

/** Stores messages piece by piece over a connection of its own, in a composing thread. */
export class Stage {
  private readonly pool;

  /** @param url as the role of schema `mail` */
  constructor(url: string) {
    // A lost connection fails what is stored just then; the next message gets another one.
    this.pool = servicePool({ url, schema: 'mail', max: 1, onTrouble: () => undefined });
  }

  /** @throws what failed; the pieces stored until then are purged after an hour, or by `unstage` */
  async store({ tenantId, message }: Staged, raw: Uint8Array): Promise<void> {
    for (let at = 0; at < raw.length; at += pieceBytes) {
      const isLast = at + pieceBytes >= raw.length;
      const piece = raw.subarray(at, at + pieceBytes);
      await this.pool.query({ ...stagePiece, values: [tenantId, message, at, isLast, piece] });
    }
  }

  async close(): Promise<void> {
    await this.pool.end();
  }
}
