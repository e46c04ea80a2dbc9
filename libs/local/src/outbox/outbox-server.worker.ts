import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { SMTPServer } from 'smtp-server';
import { lowerPriority } from '@postroom/service/threads';
import { OutboxFile } from './outbox-file.js';

/** Runs in the outbox thread: posts its port, and ends at the first message. */
async function serve(main: NonNullable<typeof parentPort>, folder: string): Promise<void> {
  lowerPriority('low');
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    lenientAddressParsing: true,
    size: 64 * 1024 * 1024,
    rejectOversized: true,
    onData: (stream, _session, answer) => {
      const keep = async (): Promise<void> => {
        const file = await OutboxFile.of(folder, stream);
        await (stream.sizeExceeded ? file.discard() : file.keep());
      };
      keep().then(() => answer(null), answer);
    },
  });
  // Errors of clients that disconnect; a port that cannot be bound is thrown by `once`.
  server.on('error', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const address = server.server.address();
  if (address === null || typeof address === 'string') throw new Error('the outbox has no port');
  main.once('message', () => server.close(() => main.close()));
  main.postMessage(address.port);
}

if (!parentPort) throw new Error('This module runs in a thread.');
await serve(parentPort, workerData as string);
