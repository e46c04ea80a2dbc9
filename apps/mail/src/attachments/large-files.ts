import { Inject, Injectable } from '@nestjs/common';
import { FairQueue, QueueRefused } from '@postroom/concurrency';
import { Problem } from '@postroom/contracts';
import type { BlobStore } from '@postroom/persistence/blobs/blob-store';
import { blobsToken, type Reading } from '@postroom/operations';

/** Large files that are read at a time, one for each workspace: more would delay lists. */
const atOnce = 2;
/** Large files that wait for that, and those of one workspace. */
const waitingMax = 64;
const waitingMaxPerKey = 32;

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
  private readonly queue = new FairQueue({
    capacity: atOnce,
    capacityPerKey: 1,
    waitingMax,
    waitingMaxPerKey,
  });

  constructor(@Inject(blobsToken) private readonly blobs: BlobStore) {}

  /** @throws Problem SERVICE_UNAVAILABLE when too many wait, and whatever the content throws */
  async store(
    { tenantId, deadlineMs }: Reading,
    content: AsyncIterable<Buffer>,
  ): Promise<StoredFile> {
    const turn = { key: tenantId, waitMaxMs: deadlineMs - Date.now() };
    try {
      return await this.queue.run(() => this.write(tenantId, content), turn);
    } catch (cause) {
      if (cause instanceof QueueRefused) throw new Problem('SERVICE_UNAVAILABLE', { cause });
      throw cause;
    }
  }

  /** The store deletes the remains of a failed copy after an hour. */
  private async write(tenantId: string, content: AsyncIterable<Buffer>): Promise<StoredFile> {
    const writer = this.blobs.begin(tenantId);
    let size = 0;
    for await (const piece of content) {
      size += piece.length;
      await writer.append(piece);
    }
    await writer.end();
    return { reference: writer.reference, size };
  }
}
