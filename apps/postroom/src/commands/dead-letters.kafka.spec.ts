import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTopics, declaredTopics, KafkaBus } from '@postroom/bus';
import { brokerMissing, startBroker, type RunningBroker } from '@postroom/local';
import { newId } from '@postroom/contracts';
import { whereThere } from '@postroom/testing';
import { createLog } from '@postroom/service';
import { until } from '@postroom/testing/until';
import type { Command } from './run-command.js';
import { listDead, replayDead } from './dead-letters.js';

// It starts a broker, possibly on a busy machine.

whereThere({ missing: brokerMissing() }, describe)('postroom dead-letters', () => {
  let folder: string;
  let broker: RunningBroker;
  let bus: KafkaBus;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-dead-letters-'));
    broker = await startBroker({ dataDir: join(folder, 'kafka'), log: () => undefined });
    await createTopics({ brokers: [broker.brokers] }, declaredTopics({ prefix: 'here' }));
    bus = await KafkaBus.connect({
      brokers: [broker.brokers],
      prefix: 'here',
      instance: 'spec',
      signatures: null,
      log: createLog({ level: 'silent', format: 'json' }),
      retry: { attemptsMax: 2, firstDelayMs: 1, delayMaxMs: 1 },
    });
  });
  afterAll(async () => {
    await bus.close();
    await broker.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });

  const run = (command: Command, ...rest: string[]): Promise<readonly string[]> =>
    command.run({
      rest,
      options: {},
      env: { KAFKA_BROKERS: broker.brokers, KAFKA_PREFIX: 'here', POSTROOM_DATA_DIR: folder },
    });

  it('shows what a consumer could not handle and why, and gives it to the consumer again', async () => {
    let isWell = false;
    const handled: string[] = [];
    await bus.subscribe('mail', ['test'], ({ id }) => {
      if (!isWell) return Promise.reject(new Error('a bad day'));
      handled.push(id);
      return Promise.resolve();
    });
    const id = newId('evn');
    const event = { id, type: 'integration.test', tenantId: 'ten_a', resource: 'r' } as const;
    await bus.emit([{ ...event, envelope: '{"id":"é"}' }]);

    await until(async () => (await run(listDead, 'mail')).length === 1);
    const counted = [{ labels: { consumer: 'mail' }, value: 1 }];
    expect(await bus.deadLetters()).toEqual(counted);
    const [line = ''] = await run(listDead, 'mail');
    expect(JSON.parse(line)).toMatchObject({
      topic: 'here.events.test',
      cause: expect.stringContaining('a bad day'),
      attempts: 2,
      headers: expect.objectContaining({ id }),
      value: '{"id":"é"}',
    });

    isWell = true;
    expect(await run(replayDead, 'mail')).toEqual(['1 sent to mail again.']);
    await until(() => handled.includes(id));
    expect(await run(listDead, 'mail')).toEqual([]);
    expect(await bus.deadLetters()).toEqual([{ ...counted[0], value: 0 }]);
    expect(await run(replayDead, 'mail')).toEqual(['0 sent to mail again.']);
  });

  it.each([[[]], [['nobody']], [['mail', 'access']]])(
    'answers %j with its usage, and the names',
    async (rest) => {
      await expect(run(listDead, ...rest)).rejects.toMatchObject({
        name: 'UsageError',
        message: expect.stringMatching(/access, mail, .*webhooks/),
      });
    },
  );

  it('says where brokers are looked for when there are none', async () => {
    const env = { POSTROOM_DATA_DIR: folder };
    const asked = listDead.run({ rest: ['mail'], options: {}, env });
    await expect(asked).rejects.toThrow('KAFKA_BROKERS');
  });
});
