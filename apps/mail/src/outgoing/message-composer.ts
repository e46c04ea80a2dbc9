import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { Budget, StartPacer } from '@postroom/limits';
import { BlobGone } from '@postroom/persistence/blobs/blob-store';
import { composeMessage, type Composed, type Composition, type FileStore } from '@postroom/mime';
import { threadFile } from '@postroom/service/threads';
import { Piscina } from 'piscina';
import { MailConfig } from '../config.js';
import { limits } from '../limits.js';
import type { Staged } from '../originals.js';
import type { ComposeTask, ComposingSettings } from './compose.worker.js';

/** Bytes that are composed faster than a thread could be asked to. */
export const composedHereMax = 16 * 1024;
/** Composing ends with its thread after so long, waiting and staging included. */
const composeMs = 30_000;

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
  private readonly turns = new Budget(limits.composing);
  private started: Piscina<ComposeTask, Composed | null> | undefined;

  constructor(@Inject(MailConfig) private readonly settings: ComposingSettings) {}

  /**
   * @throws Problem SERVICE_UNAVAILABLE when a file is not in the store any more
   * @throws Error what `composeMessage` throws, or when the thread was lost
   */
  async compose(composition: Composition, as: Staged): Promise<ComposedMessage> {
    if (isSmall(composition)) {
      await this.starts.turn(as.tenantId);
      return { ...(await composeMessage(composition, noStore)), isStaged: false };
    }
    const signal = AbortSignal.timeout(composeMs);
    const compose = () => this.threads.run({ composition, as }, { signal });
    const composed = await this.turns.run({ workspace: as.tenantId }, compose, { signal });
    if (!composed) throw new Problem('SERVICE_UNAVAILABLE');
    return { ...composed, isStaged: true };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.started?.close();
  }

  private get threads(): Piscina<ComposeTask, Composed | null> {
    if (this.started) return this.started;
    const { databaseUrl, blobsDatabaseUrl, blobsS3Url, blobsS3Region } = this.settings;
    // eslint-disable-next-line postroom/owned-limits -- tasks come one at a time, in turns of the budget
    const started = new Piscina<ComposeTask, Composed | null>({
      ...threadFile(import.meta.url, 'compose.worker'),
      workerData: {
        databaseUrl,
        blobsDatabaseUrl,
        blobsS3Url,
        blobsS3Region,
      } satisfies ComposingSettings,
      minThreads: 1,
      maxThreads: 1,
      // A small young generation: garbage that holds megabytes outside the heap is collected sooner.
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 },
    });
    // The task that it ran is rejected; an unhandled 'error' would end the process.
    started.on('error', () => undefined);
    this.started = started;
    return started;
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
