import { once } from 'node:events';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { threadFile } from '@postroom/service/threads';

/** A mail server on this machine that delivers nothing. */
export interface OutboxServer {
  /** For `OUTGOING_SMTP_URL`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a mail server on a free loopback port that accepts every message and stores it as an `.eml`
 * file, so that nothing leaves the machine (`decisions.md` §10). It runs in a thread, because it stands
 * for servers elsewhere, whose work on a large message takes none of the product's time.
 */
export async function startOutboxServer(folder: string): Promise<OutboxServer> {
  await mkdir(folder, { recursive: true });
  await deleteIncomplete(folder);
  const { filename, execArgv } = threadFile(import.meta.url, 'outbox-server.worker');
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

/** Deletes the incomplete files that a killed process has left. */
async function deleteIncomplete(folder: string): Promise<void> {
  const names = await readdir(folder);
  const incomplete = names.filter((name) => name.startsWith('.') && name.endsWith('.tmp'));
  await Promise.all(incomplete.map((name) => rm(join(folder, name), { force: true })));
}
