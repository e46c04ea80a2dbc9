import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Problem } from '@postroom/contracts';
import { Piscina } from 'piscina';
import { MailConfig } from '../config.js';
import { threadFile } from '../thread-file.js';
import type { Composed, Composition } from './composition.js';

/** One that takes longer, its turn included, ends with its thread. */
const composeMs = 30_000;

/** What a thread is told when it starts. */
export interface ComposeSetting {
  readonly blobsUrl: string;
}

/**
 * Composes messages in a thread of its own: encoding, looking through and signing 25 MB takes time that
 * requests must not wait for; it reads the files from the blob store by itself. Started by the first message.
 */
@Injectable()
export class MessageComposer implements OnApplicationShutdown {
  private started: Piscina<Composition, Composed | null> | undefined;

  constructor(@Inject(MailConfig) private readonly config: Pick<MailConfig, 'blobsDatabaseUrl'>) {}

  /**
   * @throws Problem SERVICE_UNAVAILABLE when a file is not in the store any more
   * @throws Error what `composeMessage` throws, or when the thread was lost
   */
  async compose(composition: Composition): Promise<Composed> {
    const signal = AbortSignal.timeout(composeMs);
    const composed = await this.threads.run(composition, { signal });
    if (!composed) throw new Problem('SERVICE_UNAVAILABLE');
    return composed;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.started?.close();
  }

  private get threads(): Piscina<Composition, Composed | null> {
    if (this.started) return this.started;
    const started = new Piscina<Composition, Composed | null>({
      ...threadFile(import.meta.url, 'compose.worker'),
      workerData: { blobsUrl: this.config.blobsDatabaseUrl } satisfies ComposeSetting,
      minThreads: 1,
      maxThreads: 1,
      resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
    });
    // Whoever waits for the thread is told; unheard, it would end the process.
    started.on('error', () => undefined);
    this.started = started;
    return started;
  }
}
