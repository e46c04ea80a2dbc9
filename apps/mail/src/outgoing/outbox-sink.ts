import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { threadFile } from '@postroom/service/threads';
import { deleteIncomplete } from './outbox-folder.js';

/** A mail server on this machine that delivers nothing. */
export interface OutboxSink {
  /** For `OUTGOING_SMTP_URL`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a mail server on a free loopback port that accepts every message and stores it as an `.eml`
 * file, so that nothing leaves the machine (`decisions.md` §10). It runs in a thread, because it stands
 * for servers elsewhere, whose work on a large message takes none of the product's time.
 */
export async function startOutboxSink(folder: string): Promise<OutboxSink> {
  await mkdir(folder, { recursive: true });
  await deleteIncomplete(folder);
  const { filename, execArgv } = threadFile(import.meta.url, 'outbox-sink.worker');
  const thread = new Worker(filename, { execArgv, workerData: folder, name: 'outbox' });
  // A later failure has no handler and ends the process, since nothing could be sent any more.
  const [port] = (await once(thread, 'message')) as [number];
  return {
    url: `smtp://127.0.0.1:${port}`,
    async close() {
      const ended = once(thread, 'exit');
      thread.postMessage('close');
      await ended;
    },
  };
}
