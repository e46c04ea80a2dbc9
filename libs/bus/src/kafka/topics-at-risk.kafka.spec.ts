import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { declaredTopics } from '../topics.js';
import { createTopics, topicsAtRisk } from './topics.js';
import { isFullRun } from '@postroom/testing/repetitions';
import { brokerMissing, startBrokers, type RunningBrokers } from '@postroom/local';
import { whereThere } from '@postroom/testing';

const missing = isFullRun() ? brokerMissing() : 'npm run test:full runs it';

whereThere({ missing }, describe)('three brokers', () => {
  let folder: string;
  let kafka: RunningBrokers;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postroom-brokers-'));
    kafka = await startBrokers(3, { dataDir: folder, log: () => undefined });
  });
  afterAll(async () => {
    await kafka.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const topicsOf = (prefix: string) => declaredTopics({ prefix });
  const place = () => ({ brokers: kafka.brokers.split(',') });

  it('keep each of the topics three times, and acknowledge what two have', async () => {
    await createTopics(place(), topicsOf('safe'));
    expect(await topicsAtRisk(place(), topicsOf('safe'))).toEqual([]);
  });

  it('are told which topics a lost broker would take with it', async () => {
    const [first, second, ...others] = topicsOf('weak');
    if (!first || !second) throw new Error('There are no topics.');
    await createTopics(place(), [first], { replicationFactor: 1 });
    await createTopics(place(), [second], { replicationFactor: 2 });
    await createTopics(place(), others);
    expect(await topicsAtRisk(place(), topicsOf('weak'))).toEqual([
      expect.objectContaining({ topic: first.name, replicas: 1 }),
      expect.objectContaining({ topic: second.name, replicas: 2 }),
    ]);
  });
});
