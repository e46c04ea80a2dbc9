import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { callerKey } from '@postroom/access';
import { InProcessBus } from '@postroom/bus';
import { mailboxes, recordOf, serviceNames } from '@postroom/contracts';
import { OperationClient } from '@postroom/operations';
import { blobsSchema } from '@postroom/persistence';
import { createLog, Health, loadConfig, Metrics } from '@postroom/service';
import { anAdmin } from '@postroom/service-testing';
import { createTestDatabase, type TestDatabase } from '@postroom/testing';
import { createMailApp, MailConfig, mailSchema, type MailApp } from './index.js';

const log = createLog({ level: 'silent', format: 'json' });
const key = randomBytes(32);

describe('createMailApp', () => {
  let database: TestDatabase<'mail' | 'blobs'>;
  let bus: InProcessBus;

  beforeAll(async () => {
    database = await createTestDatabase([mailSchema, blobsSchema]);
    bus = new InProcessBus();
  });

  afterAll(async () => {
    await bus.close();
    await database.drop();
  });

  const create = (smtpPort = 0): Promise<MailApp> => {
    const config = loadConfig(MailConfig, {
      DATABASE_URL: database.urls.mail,
      BLOBS_DATABASE_URL: database.urls.blobs,
      CALLER_KEY: key.toString('base64'),
      SECRETS_KEYS: `test:${key.toString('base64')}`,
      SMTP_PORT: String(smtpPort),
    });
    return createMailApp(config, { bus, log, health: new Health([]), metrics: new Metrics() });
  };

  it('has a handler for every row of the service, and closes', async () => {
    const app = await create();
    await app.listen();
    expect(app.mailPorts()).toEqual({ smtp: expect.any(Number), lmtp: null });
    await app.close();
    expect(() => app.mailPorts()).toThrow('not listening');
  });

  it('fails to listen on a port that is in use, naming it by its code, and can be closed', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const app = await create(port);
    await expect(app.listen()).rejects.toMatchObject({ code: 'EADDRINUSE', port });
    await app.close();
    other.close();
  });

  it('answers nobody whose caller the gateway did not sign', async () => {
    const app = await create();
    await app.listen();
    const forged = callerKey(randomBytes(32));
    const client = new OperationClient(
      bus,
      recordOf(serviceNames, () => forged),
    );
    const reply = await client.call(mailboxes.list, anAdmin(), {}, { requestId: 'test' });
    expect([reply.status, reply.problem]).toEqual([500, 'INTERNAL']);
    await app.close();
  });
});
