import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import { threadFile } from '../thread-file.js';
import type { Composed, Composition } from './composition.js';

/** One that takes longer, its turn included, ends with its thread. */
const composeMs = 30_000;

/**
 * Composes messages in a thread of its own: encoding, looking through and signing 25 MB takes time that
 * requests must not wait for. Started by the first message.
 */
@Injectable()
export class MessageComposer implements OnApplicationShutdown {
  private started: Piscina<Composition, Composed> | undefined;

  /**
   * The bytes of the files go to the thread and are gone here.
   * @throws Error what `composeMessage` throws, or when the thread was lost
   */
  async compose(composition: Composition): Promise<Composed> {
    const transferList = composition.files.flatMap(({ content }) => content.flatMap(ownBuffer));
    return this.threads.run(composition, { transferList, signal: AbortSignal.timeout(composeMs) });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.started?.close();
  }

  private get threads(): Piscina<Composition, Composed> {
    if (this.started) return this.started;
    const started = new Piscina<Composition, Composed>({
      ...threadFile(import.meta.url, 'compose.worker'),
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

/** What stands in a buffer that others stand in too is copied. */
const ownBuffer = ({ buffer, length }: Uint8Array): ArrayBuffer[] =>
  buffer instanceof ArrayBuffer && buffer.byteLength === length ? [buffer] : [];
