import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBroker, type RunningBroker } from '@postroom/local';
import { bareTopics } from '../carriers/bare-kafka.js';
import type { CarrierAddress } from '../carriers/carrier.js';
import { makeBusTopics } from '../carriers/kafka-bus.js';
import { makeTopics } from '../carriers/kafka-client.js';

/** A Kafka broker of the bench's own. */
export interface BenchPlace {
  readonly place: CarrierAddress;
  close(): Promise<void>;
}

export async function openPlace(say: (text: string) => void): Promise<BenchPlace> {
  const folder = await mkdtemp(join(tmpdir(), 'postroom-bench-'));
  let broker: RunningBroker | undefined;
  const close = async (): Promise<void> => {
    await broker?.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    broker = await startBroker({ dataDir: folder, log: say, longLived: true });
    const { brokers } = broker;
    await makeTopics(brokers, bareTopics);
    await makeBusTopics(brokers);
    return { place: { brokers, address: null }, close };
  } catch (error) {
    await close();
    throw error;
  }
}
