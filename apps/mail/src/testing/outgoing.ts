import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startOutboxServer, type OutboxServer } from '@postroom/local';

/** The demo's own sink, with a folder of its own. */
export class TestOutbox {
  private constructor(
    readonly folder: string,
    private readonly sink: OutboxServer,
  ) {}

  static async start(): Promise<TestOutbox> {
    const folder = await mkdtemp(join(tmpdir(), 'postroom-outbox-'));
    return new TestOutbox(folder, await startOutboxServer(folder));
  }

  /** The settings of a mail service that uses it. */
  get env(): NodeJS.ProcessEnv {
    return { OUTGOING_SMTP_URL: this.sink.url, OUTGOING_OUTBOX_DIR: this.folder };
  }

  /** The messages it took that hold a text, oldest first. */
  async messages(containing: string): Promise<string[]> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith('.eml')).sort();
    const texts = names.map((name) => readFile(join(this.folder, name), 'utf8'));
    return (await Promise.all(texts)).filter((text) => text.includes(containing));
  }

  async close(): Promise<void> {
    await this.sink.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
