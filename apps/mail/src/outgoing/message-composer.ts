import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { StartPacer } from '@postroom/limits';
import { BlobGone } from '@postroom/persistence/blobs/blob-store';
import { composeMessage, type Composed, type Composition, type FileStore } from '@postroom/mime';
import { FairThread } from '@postroom/service';
import { threadFile } from '@postroom/service/threads';
import { MailConfig } from '../config.js';
import { limits } from '../limits.js';
import type { Staged } from '../originals.js';
import type { ComposeTask, ComposingSettings } from './compose.worker.js';

/** Bytes that are composed faster than a thread could be asked to. */
export const composedHereMax = 16 * 1024;
/** Composing ends with its thread after so long, waiting and staging included. */
const composeLimits = { wholeMs: 30_000, runMs: 30_000 };

/** A composed message, and whether its bytes are staged already. */
export type ComposedMessage = Composed & { readonly isStaged: boolean };

/**
 * Composes messages. Large ones, and those with files in the blob store, are composed in a thread, since
 * encoding, parsing and signing 25 MB takes time that requests must not wait for. The thread reads the
 * files and stages the result; it is started by the first such message.
 */
@Injectable()
export class MessageComposer implements OnApplicationShutdown {
  /** Messages composed here take milliseconds of the main thread. */
  private readonly starts = new StartPacer();
  private readonly thread: FairThread<ComposeTask, Composed | null>;

  constructor(@Inject(MailConfig) settings: ComposingSettings) {
    const { databaseUrl, blobsDatabaseUrl, blobsS3Url, blobsS3Region } = settings;
    this.thread = new FairThread({
      file: threadFile(import.meta.url, 'compose.worker'),
      limit: limits.composing,
      memoryMaxMb: 256,
      youngMemoryMb: 8,
      workerData: {
        databaseUrl,
        blobsDatabaseUrl,
        blobsS3Url,
        blobsS3Region,
      } satisfies ComposingSettings,
    });
  }

  /**
   * @throws Problem SERVICE_UNAVAILABLE when a file is not in the store any more
   * @throws Error what `composeMessage` throws, or when the thread was lost
   */
  async compose(composition: Composition, as: Staged): Promise<ComposedMessage> {
    if (isSmall(composition)) {
      await this.starts.turn(as.tenantId);
      return { ...(await composeMessage(composition, noStore)), isStaged: false };
    }
    const composed = await this.thread.run(as.tenantId, { composition, as }, composeLimits);
    if (!composed) throw new Problem('SERVICE_UNAVAILABLE');
    return { ...composed, isStaged: true };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.thread.close();
  }
}

/** True if a message is small and has no file in the blob store. */
function isSmall({ body, signature, files }: Composition): boolean {
  let size = body.length;
  if (signature) size += signature.html.length + signature.text.length;
  for (const { content } of files) {
    if (!(content instanceof Uint8Array)) return false;
    size += content.length;
  }
  return size <= composedHereMax;
}

/** The store for messages that have no file in the blob store. */
const noStore: FileStore = {
  pieces: (_, reference) => {
    throw new BlobGone(reference);
  },
};
