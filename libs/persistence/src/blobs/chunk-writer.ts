import { randomUUID } from 'node:crypto';
import { byReferenceOverBytes, type BlobWriter } from '@postroom/contracts/blobs';

type WriteChunk = (
  reference: string,
  position: number,
  isLast: boolean,
  bytes: Uint8Array,
) => Promise<void>;

/** What is less than this waits for more. */
const chunkMin = byReferenceOverBytes / 4;

/** Writes what comes as chunks of 256 KiB at most; the last one, which may be empty, says that it is. */
export class ChunkWriter implements BlobWriter {
  readonly reference = randomUUID();
  private waiting: Buffer = Buffer.alloc(0);
  private position = 0;

  constructor(private readonly write: WriteChunk) {}

  async append(bytes: Uint8Array): Promise<void> {
    const all = this.waiting.length > 0 ? Buffer.concat([this.waiting, bytes]) : bytes;
    let at = 0;
    while (all.length - at >= chunkMin) {
      const chunk = all.subarray(at, at + byReferenceOverBytes);
      await this.flush(chunk, false);
      at += chunk.length;
    }
    // A copy: who gave the bytes may use their place again.
    this.waiting = Buffer.from(all.subarray(at));
  }

  end(): Promise<void> {
    return this.flush(this.waiting, true);
  }

  private flush(chunk: Uint8Array, isLast: boolean): Promise<void> {
    return this.write(this.reference, this.position++, isLast, chunk);
  }
}
