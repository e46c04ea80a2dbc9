import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { newId } from '@postroom/contracts';
import { blobsSchema } from '@postroom/persistence';
import { createLog, loadConfig } from '@postroom/service';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { LeaseLost, type KnownFolder } from '../imap/ledger.js';
import { MailConfig, mailSchema } from '../index.js';
import { InboundThread } from './inbound-thread.js';

const log = createLog({ level: 'silent', format: 'json' });

/** A thread that waits for a server's first words, and then writes 1 into the memory that it shares. */
const firstWords = `
const { workerData: { port, shared } } = require('node:worker_threads');
require('node:net').connect(port).once('data', function () {
  this.destroy();
  Atomics.store(shared, 0, 1);
  Atomics.notify(shared, 0);
});`;

/** True if a port answers while this thread stands still. */
function answersMeanwhile(port: number): boolean {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(firstWords, { eval: true, workerData: { port, shared } });
  const ended = Atomics.wait(shared, 0, 0, 60_000);
  void client.terminate();
  return ended !== 'timed-out';
}

describe('InboundThread', () => {
  let database: TestDatabase<'mail' | 'blobs'>;

  beforeAll(async () => {
    database = await createTestDatabase([mailSchema, blobsSchema]);
  });
  afterAll(() => database.drop());

  const inboundThread = (given: NodeJS.ProcessEnv = {}): InboundThread =>
    new InboundThread({
      config: loadConfig(MailConfig, {
        DATABASE_URL: database.urls.mail,
        BLOBS_DATABASE_URL: database.urls.blobs,
        CALLER_KEY: randomBytes(32).toString('base64'),
        SECRETS_KEYS: `test:${randomBytes(32).toString('base64')}`,
        SMTP_PORT: '0',
        ...given,
      }),
      log,
      eventsCommitted: () => undefined,
      received: () => undefined,
    });

  it('listens in a thread of its own: it answers while the thread that serves requests stands still', async () => {
    const one = inboundThread();
    await one.listen();
    expect(answersMeanwhile(one.ports.smtp)).toBe(true);
    await one.close();
  });

  it('throws from listen what kept it from starting, and can be closed', async () => {
    const url = new URL(database.urls.mail);
    url.port = '1';
    const one = inboundThread({ DATABASE_URL: url.href });
    await expect(one.listen()).rejects.toThrow(/ECONNREFUSED/);
    await one.close();
  });

  it('says why it stores no history: the lease is lost, or it has ended', async () => {
    const one = inboundThread();
    const raw = Buffer.from('Subject: Of last year\r\n\r\nHello');
    const source = {
      ...{ uid: 1, flags: [], modseq: null, sizeBytes: raw.length, receivedAt: new Date() },
      ...{ messageId: null, isWhole: true, raw },
    };
    const mailbox = {
      ...{ tenantId: newId('ten'), mailboxId: newId('mbx'), address: 'support@acme.test' },
      ...{ automation: false, turn: 1 },
    };
    const folder: KnownFolder = {
      ...{ folder: 1, path: 'INBOX', isKnown: true, uidValidity: '1', uidNext: 2, counted: 1 },
      ...{ highestModseq: null, readFrom: 1, allFlags: false, horizon: null, wantsOlder: false },
      role: 'inbox',
    };
    const piece = { mailbox, folder, came: [source] };
    await expect(one.store(piece)).rejects.toThrow(LeaseLost);
    await one.close();
    await expect(one.store(piece)).rejects.toThrow('has ended');
  });

  it('ends its thread though it was never asked to listen', async () => {
    const one = inboundThread();
    await one.close();
    expect(() => one.ports).toThrow('not listening');
  });
});
