import { randomUUID } from 'node:crypto';
import { byReferenceOverBytes, type BlobWriter } from '@postroom/contracts';

type WriteChunk = (
  reference: string,
  position: number,
  isLast: boolean,
  bytes: Uint8Array,
) => Promise<void>;

/** Cuts what comes into chunks of 256 KiB; the last one, which may be empty, says that it is. */
export class ChunkWriter implements BlobWriter {
  readonly reference = randomUUID();
  private pieces: Uint8Array[] = [];
  private length = 0;
  private position = 0;

  constructor(private readonly write: WriteChunk) {}

  async append(bytes: Uint8Array): Promise<void> {
    let rest = bytes;
    // What could be the last stays here, for it would have to say so.
    while (this.length + rest.length > byReferenceOverBytes) {
      const room = byReferenceOverBytes - this.length;
      this.keep(rest.subarray(0, room));
      rest = rest.subarray(room);
      await this.flush(false);
    }
    this.keep(rest);
  }

  end(): Promise<void> {
    return this.flush(true);
  }

  private keep(bytes: Uint8Array): void {
    this.pieces.push(bytes);
    this.length += bytes.length;
  }

  private async flush(isLast: boolean): Promise<void> {
    const [only] = this.pieces;
    const chunk = only && this.pieces.length === 1 ? only : Buffer.concat(this.pieces);
    this.pieces = [];
    this.length = 0;
    await this.write(this.reference, this.position++, isLast, chunk);
  }
}
