import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOutboxServer } from '@postroom/local';
import { serve } from './serve.js';

/** The demo's SMTP server: each message is a file, synced to disk before it is answered. */
serve(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-bench-outbox-'));
  const sink = await startOutboxServer(folder);
  const port = Number(new URL(sink.url).port);
  return {
    port,
    smtpPort: port,
    async close() {
      await sink.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
