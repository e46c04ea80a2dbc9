import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { SMTPServer } from 'smtp-server';
import { keepInOutbox } from './outbox-folder.js';

/** A mail server of this machine that delivers to nobody. */
export interface OutboxSink {
  /** For `OUTGOING_SMTP_URL`. */
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts a mail server on a free port of the loopback that takes every message and keeps it as an
 * `.eml` file: so that nothing leaves the machine (`decisions.md` §10).
 */
export async function startOutboxSink(folder: string): Promise<OutboxSink> {
  await mkdir(folder, { recursive: true });
  const host = '127.0.0.1';
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    size: 64 * 1024 * 1024,
    onData: (stream, _session, answer) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        if (stream.sizeExceeded)
          return answer(Object.assign(new Error('too large'), { responseCode: 552 }));
        keepInOutbox(folder, chunks).then(() => answer(null), answer);
      });
    },
  });
  // Of clients that vanish; a port that cannot be had is told by `once`.
  server.on('error', () => undefined);
  server.listen(0, host);
  await once(server.server, 'listening');
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the outbox has no port');
  return {
    url: `smtp://${host}:${address.port}`,
    close: () =>
      new Promise((closed) => {
        server.close(closed);
      }),
  };
}
