import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Piscina } from 'piscina';
import { threadFile } from '../thread-file.js';
import { composeMessage } from './compose-message.js';
import type { Composed, Composition } from './composition.js';

/** Composed in a moment, which is shorter than the way to a thread and back. */
const smallMax = 16 * 1024;
/** One that takes longer, its turn included, ends with its thread. */
const composeMs = 30_000;

/**
 * Composes messages: large ones in a thread of its own, since encoding, looking through and signing 25 MB
 * takes time that requests must not wait for. It is started by the first of them.
 */
@Injectable()
export class MessageComposer implements OnApplicationShutdown {
  private started: Piscina<Composition, Composed> | undefined;

  /**
   * The bytes of its files are handed over: nobody else can read them any more.
   * @throws Error what `composeMessage` throws, or when the thread was lost
   */
  async compose(composition: Composition): Promise<Composed> {
    if (sizeOf(composition) <= smallMax) return composeMessage(composition);
    const transferList = composition.files.flatMap(({ content }) => ownBytes(content));
    const signal = AbortSignal.timeout(composeMs);
    return this.threads.run(composition, { signal, transferList });
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

const sizeOf = ({ body, files }: Composition): number =>
  files.reduce((sum, { content }) => sum + content.byteLength, body.length);

/** What is worth handing over, and no part of something that others use. */
const ownBytes = ({ buffer, byteLength }: Uint8Array): ArrayBuffer[] =>
  buffer instanceof ArrayBuffer && buffer.byteLength === byteLength && byteLength > 65_536
    ? [buffer]
    : [];
