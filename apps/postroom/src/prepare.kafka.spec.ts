import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTopics, declaredTopics } from '@postroom/bus';
import { brokerMissing, type RunningBroker, startBroker, startPostgres } from '@postroom/local';
import { schemaNames, variablePrefix } from '@postroom/contracts';
import { whereThere } from '@postroom/testing';
import { connectAccess, openWorkspace, workspaceId } from '@postroom/gateway';
import { serviceUrls } from '@postroom/persistence/provision';
import { loadConfig } from '@postroom/service';
import { PrepareConfig } from './config.js';
import { prepare } from './prepare.js';
import { makeTopics } from './kafka.js';

// It starts a PostgreSQL and a broker, possibly on a busy machine.

whereThere({ missing: brokerMissing() }, describe)('postroom prepare', () => {
  let folder: string;
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let broker: RunningBroker;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-prepare-'));
    await chmod(folder, 0o711);
    const log = (): void => undefined;
    [postgres, broker] = await Promise.all([
      startPostgres({ dataDir: join(folder, 'postgres'), durable: false, log }),
      startBroker({ dataDir: join(folder, 'kafka'), log }),
    ]);
  });
  afterAll(async () => {
    await Promise.all([postgres.stop(), broker.stop()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const run = (password: string): Promise<void> =>
    prepare(
      loadConfig(PrepareConfig, {
        DATABASE_URL: postgres.adminUrl,
        ...Object.fromEntries(
          schemaNames.map((name) => [`${variablePrefix(name)}_DATABASE_PASSWORD`, password]),
        ),
        KAFKA_BROKERS: broker.brokers,
        KAFKA_PREFIX: 'here',
      }),
    );

  it('says that the brokers cannot be used, and which', async () => {
    await expect(makeTopics({ brokers: ['127.0.0.1:1'] }, 'here')).rejects.toThrow(
      /Kafka at 127\.0\.0\.1:1 cannot be used \(KAFKA_BROKERS\)/,
    );
  });

  it('makes all that the services expect, and keeps what is there when it runs again', async () => {
    await run('a first long password');
    const topics = declaredTopics({ prefix: 'here' });
    expect(await createTopics({ brokers: [broker.brokers] }, topics)).toEqual([]);

    const connect = (password: string) =>
      connectAccess(serviceUrls(postgres.adminUrl, [{ name: 'access', password }]).access);
    const first = await connect('a first long password');
    await openWorkspace(first, { name: 'kept', adminEmail: 'a@kept.test', adminName: 'A' });
    await first.close();

    await run('a second long password');
    const second = await connect('a second long password');
    expect(await workspaceId(second, 'kept')).toMatch(/^ten_/);
    await second.close();
  });
});
