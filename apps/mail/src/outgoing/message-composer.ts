import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { BlobGone, Problem, type BlobStore } from '@postroom/contracts';
import { composeMessage, type Composed, type Composition } from '@postroom/mime';
import { threadFile } from '@postroom/service/threads';
import { Piscina } from 'piscina';
import { MailConfig } from '../config.js';
import type { Staged } from '../originals/index.js';
import type { ComposeTask, ComposingPlace } from './compose.worker.js';

/** Bytes composed in a moment, which is shorter than the way to a thread and back. */
export const composedHereMax = 16 * 1024;
/** One that takes longer, its turn and the staging included, ends with its thread. */
const composeMs = 30_000;

/** A message, and whether its bytes are staged already. */
export type Made = Composed & { readonly isStaged: boolean };

/**
 * Composes messages: large ones in a thread of its own, since encoding, looking through and signing 25 MB
 * takes time that requests must not wait for, and those with files in the blob store, which it reads by
 * itself; it stages what it made. It is started by the first of them.
 */
@Injectable()
export class MessageComposer implements OnApplicationShutdown {
  private started: Piscina<ComposeTask, Composed | null> | undefined;

  constructor(@Inject(MailConfig) private readonly place: ComposingPlace) {}

  /**
   * @throws Problem SERVICE_UNAVAILABLE when a file is not in the store any more
   * @throws Error what `composeMessage` throws, or when the thread was lost
   */
  async compose(composition: Composition, as: Staged): Promise<Made> {
    if (isSmall(composition)) {
      return { ...(await composeMessage(composition, noStore)), isStaged: false };
    }
    const signal = AbortSignal.timeout(composeMs);
    const composed = await this.threads.run({ composition, as }, { signal });
    if (!composed) throw new Problem('SERVICE_UNAVAILABLE');
    return { ...composed, isStaged: true };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.started?.close();
  }

  private get threads(): Piscina<ComposeTask, Composed | null> {
    if (this.started) return this.started;
    const { databaseUrl, blobsDatabaseUrl, blobsS3Url, blobsS3Region } = this.place;
    const started = new Piscina<ComposeTask, Composed | null>({
      ...threadFile(import.meta.url, 'compose.worker'),
      workerData: {
        databaseUrl,
        blobsDatabaseUrl,
        blobsS3Url,
        blobsS3Region,
      } satisfies ComposingPlace,
      minThreads: 1,
      maxThreads: 1,
      // A small nursery: what its garbage holds outside the heap, megabytes, goes the sooner.
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 },
    });
    // Whoever waits for the thread is told; unheard, it would end the process.
    started.on('error', () => undefined);
    this.started = started;
    return started;
  }
}

/** Nothing of it is in the store, either. */
function isSmall({ body, signature, files }: Composition): boolean {
  let size = body.length;
  if (signature) size += signature.html.length + signature.text.length;
  for (const { content } of files) {
    if (!(content instanceof Uint8Array)) return false;
    size += content.length;
  }
  return size <= composedHereMax;
}

/** For messages whose files are all here. */
const noStore: Pick<BlobStore, 'pieces'> = {
  pieces: (_, reference) => {
    throw new BlobGone(reference);
  },
};
