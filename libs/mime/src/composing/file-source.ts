import { attachmentType } from '../parsing/attachment-type.js';
import type { ComposedFile } from './composition.js';

type Pieces = AsyncGenerator<Uint8Array, void>;

/** The store of files that were put aside; it throws for one that is not there. */
export interface FileStore {
  pieces(tenantId: string, reference: string): Pieces;
}

/** A file has more or fewer bytes than was said. */
export class WrongFileSize extends Error {
  override readonly name = 'WrongFileSize';
}

/** A file whose bytes are read on demand. */
export interface FileSource {
  readonly filename: string | null;
  /** Its real media type. */
  readonly type: string;
  readonly size: number;
  readonly pieces: Pieces;
}

/**
 * Opens a file of a message. Of a file in the blob store, at most two pieces are held at a time.
 * @throws WrongFileSize, or what the store throws, here or from its pieces
 */
export async function fileSource(
  { filename, declaredType, content }: ComposedFile,
  blobs: FileStore,
): Promise<FileSource> {
  const isHere = content instanceof Uint8Array;
  const size = isHere ? content.length : content.size;
  const rest: Pieces = isHere ? once(content) : blobs.pieces(content.tenantId, content.reference);
  const begun = await rest.next();
  const first = begun.done === true ? new Uint8Array() : begun.value;
  const type = await attachmentType(first, (declaredType ?? '').toLowerCase());
  return { filename, type, size, pieces: whole(size, first, rest) };
}

/** Bytes in memory, as pieces. */
export async function* once(bytes: Uint8Array): Pieces {
  yield await Promise.resolve(bytes);
}

async function* whole(size: number, first: Uint8Array, rest: Pieces): Pieces {
  let left = size - first.length;
  yield first;
  for await (const piece of rest) {
    left -= piece.length;
    yield piece;
  }
  if (left !== 0) throw new WrongFileSize(`${size} bytes were said, ${left} are missing`);
}
