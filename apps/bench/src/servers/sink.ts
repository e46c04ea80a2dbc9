import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOutboxSink } from '@postroom/mail';
import { serve } from './serve.js';

/** The demo's SMTP server: each message is a file, synced to disk before it is answered. */
serve(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-bench-outbox-'));
  const sink = await startOutboxSink(folder);
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
