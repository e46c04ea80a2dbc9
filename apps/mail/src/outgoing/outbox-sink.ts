import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { threadFile } from '@postroom/service/threads';
import { forgetHalves } from './outbox-folder.js';

/** A mail server of this machine that delivers to nobody. */
export interface OutboxSink {
  /** For `OUTGOING_SMTP_URL`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a mail server on a free port of the loopback that takes every message and keeps it as an
 * `.eml` file: so that nothing leaves the machine (`decisions.md` §10). In a thread of its own, since
 * it stands for servers elsewhere: what it does with a large message is none of the product's time.
 */
export async function startOutboxSink(folder: string): Promise<OutboxSink> {
  await mkdir(folder, { recursive: true });
  await forgetHalves(folder);
  const { filename, execArgv } = threadFile(import.meta.url, 'outbox-sink.worker');
  const thread = new Worker(filename, { execArgv, workerData: folder, name: 'outbox' });
  // A failure from then on is nobody's to hear, and ends the process: sends would have nowhere to go.
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
