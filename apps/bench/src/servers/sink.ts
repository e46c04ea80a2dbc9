import { once } from 'node:events';
import { freePort } from '@postroom/persistence/server';
import { SMTPServer } from 'smtp-server';
import { serve } from './serve.js';

/** A mail server that takes every message and forgets it. */
serve(async () => {
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    onData: (stream, _session, answer) => {
      stream.on('end', () => answer(null));
      stream.resume();
    },
  });
  // Of clients that are stopped while they are connected.
  server.on('error', () => undefined);
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server.server, 'listening');
  return { port, smtpPort: port, close: () => new Promise((closed) => server.close(closed)) };
});
