import { Inject, Injectable } from '@nestjs/common';
import { Budget } from '@postroom/limits';
import type { BlobStore } from '@postroom/persistence/blobs/blob-store';
import { blobsToken, type Reading } from '@postroom/operations';
import { limits } from '../limits.js';

/** A file in the blob store. */
export interface StoredFile {
  readonly reference: string;
  readonly size: number;
}

/**
 * Copies large files to the blob store, from which the gateway streams them, a piece in memory at a time.
 * Workspaces share it fairly.
 */
@Injectable()
export class LargeFiles {
  private readonly queue = new Budget(limits.largeFiles);

  constructor(@Inject(blobsToken) private readonly blobs: BlobStore) {}

  /** @throws LimitReached when too many wait, and whatever the content throws */
  async store(
    { tenantId, deadlineMs }: Reading,
    content: AsyncIterable<Buffer>,
  ): Promise<StoredFile> {
    const waitMaxMs = deadlineMs - Date.now();
    const write = () => this.write(tenantId, content);
    return this.queue.run({ workspace: tenantId }, write, { waitMaxMs });
  }

  /** The store deletes the remains of a failed copy after an hour. */
  private async write(tenantId: string, content: AsyncIterable<Buffer>): Promise<StoredFile> {
    const writer = this.blobs.createWriter(tenantId);
    let size = 0;
    for await (const piece of content) {
      size += piece.length;
      await writer.append(piece);
    }
    await writer.finish();
    return { reference: writer.reference, size };
  }
}
