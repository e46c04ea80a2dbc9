/** Bytes of the pieces in which a blob is written and read. */
export const pieceBytes = 256 * 1024;

/**
 * Keeps bodies that are too large for the bus while they are on their way: until they are dropped,
 * an hour at most. A reference opens nothing for another workspace.
 */
export interface BlobStore {
  /** @returns the reference to it */
  put(tenantId: string, bytes: Uint8Array): Promise<string>;
  /** Begins one whose bytes come little by little. */
  createWriter(tenantId: string): BlobWriter;
  /** @returns null for what is not there, not whole, or another workspace's */
  get(tenantId: string, reference: string): Promise<Buffer | null>;
  /**
   * The same little by little, each piece 256 KiB but the last.
   * @throws BlobGone for what is not there, not whole, or another workspace's, at its end perhaps
   */
  pieces(tenantId: string, reference: string): AsyncGenerator<Buffer, void>;
  drop(tenantId: string, reference: string): Promise<void>;
}

/** A body is missing from the blob store. */
export class BlobGone extends Error {
  override readonly name = 'BlobGone';
}

/** A blob that is being written: not there for a reader until it is finished. */
export interface BlobWriter {
  readonly reference: string;
  /** One after the other, in order. Once it resolves the bytes' place may be used again. */
  append(bytes: Uint8Array): Promise<void>;
  /** Makes it readable. */
  finish(): Promise<void>;
}
