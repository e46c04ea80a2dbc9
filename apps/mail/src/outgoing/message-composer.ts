import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import type { Composed, Composition } from '@postroom/mime';
import { FairThread } from '@postroom/service';
import { threadFile } from '@postroom/service/threads';
import { MailConfig } from '../config.js';
import { limits } from '../limits.js';
import type { Staged } from '../originals.js';
import type { ComposeTask, ComposingSettings } from './compose.worker.js';

/** Up to so many bytes a message is composed in the thread of short ones, and is not staged. */
export const shortMax = 16 * 1024;
/** Composing ends with its thread after so long, waiting and staging included. */
const composeLimits = { wholeMs: 30_000, runMs: 30_000 };

/** A composed message, and whether its bytes are staged already. */
export type ComposedMessage = Composed & { readonly isStaged: boolean };

/**
 * Composes messages in threads, since requests must not wait for that: encoding, parsing and signing takes a short
 * message milliseconds, one of 25 MB a second. That of large messages, and of those with files in the blob store, reads
 * the files and stages the result, so that short ones have another. Each is started by its first message.
 */
@Injectable()
export class MessageComposer implements OnApplicationShutdown {
  private readonly short = new FairThread<Composition, Composed>({
    file: threadFile(import.meta.url, 'compose-short.worker'),
    limit: limits.composing,
    memoryMaxMb: 64,
    youngMemoryMb: 8,
  });
  private readonly large: FairThread<ComposeTask, Composed | null>;

  constructor(@Inject(MailConfig) settings: ComposingSettings) {
    const { databaseUrl, blobsDatabaseUrl, blobsS3Url, blobsS3Region } = settings;
    this.large = new FairThread({
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
    if (isShort(composition)) {
      const composed = await this.short.run(as.tenantId, composition, composeLimits);
      return { ...composed, isStaged: false };
    }
    const composed = await this.large.run(as.tenantId, { composition, as }, composeLimits);
    if (!composed) throw new Problem('SERVICE_UNAVAILABLE');
    return { ...composed, isStaged: true };
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.short.close(), this.large.close()]);
  }
}

/** True if a message is short and has no file in the blob store. */
function isShort({ body, signature, files }: Composition): boolean {
  let size = body.length;
  if (signature) size += signature.html.length + signature.text.length;
  for (const { content } of files) {
    if (!(content instanceof Uint8Array)) return false;
    size += content.length;
  }
  return size <= shortMax;
}
