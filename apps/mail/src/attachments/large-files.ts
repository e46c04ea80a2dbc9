import { Inject, Injectable } from '@nestjs/common';
import { byReferenceOverBytes } from '@postroom/bus';
import { FileAnswer, Problem } from '@postroom/contracts';
import { Budget } from '@postroom/limits';
import { collectBytes } from '@postroom/mime';
import type { BlobStore } from '@postroom/persistence/blobs/blob-store';
import { blobsToken, type Reading } from '@postroom/operations';
import { limits } from '../limits.js';

/** A file that is read piece by piece. */
export interface FileContent {
  readonly size: number;
  readonly content: AsyncIterable<Buffer>;
}

/**
 * Answers files. Large ones are copied to the blob store, from which the gateway streams them, a piece in memory
 * at a time. Workspaces share it fairly.
 */
@Injectable()
export class LargeFiles {
  private readonly queue = new Budget(limits.largeFiles);

  constructor(@Inject(blobsToken) private readonly blobs: BlobStore) {}

  /**
   * @param headers those of the answer
   * @throws LimitReached when too many wait, and whatever the content throws
   */
  async answer(
    reading: Reading,
    { size, content }: FileContent,
    headers: Readonly<Record<string, string>>,
  ): Promise<FileAnswer> {
    const pieces = untilDeadline(reading, content);
    if (size <= byReferenceOverBytes)
      return new FileAnswer(await collectBytes(pieces, size), headers);
    return new FileAnswer(undefined, headers, null, await this.store(reading, pieces));
  }

  private async store(
    { tenantId, deadlineMs }: Reading,
    content: AsyncIterable<Buffer>,
  ): Promise<Stored> {
    const waitMaxMs = deadlineMs - Date.now();
    const write = () => this.write(tenantId, content);
    return this.queue.run({ workspace: tenantId }, write, { waitMaxMs });
  }

  /** The store deletes the remains of a failed copy after an hour. */
  private async write(tenantId: string, content: AsyncIterable<Buffer>): Promise<Stored> {
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

/** The place of a file in the blob store. */
type Stored = NonNullable<FileAnswer['stored']>;

/** Stops reading when the request's deadline has passed. */
async function* untilDeadline(
  { deadlineMs }: Reading,
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer, void> {
  for await (const piece of pieces) {
    if (Date.now() >= deadlineMs) throw new Problem('SERVICE_UNAVAILABLE');
    yield piece;
  }
}
