import { setTimeout as sleep } from 'node:timers/promises';
import type { DeclaredTopic, TopicKind } from '@postroom/contracts';
import { Kafka, logLevel, type Admin, type IResourceConfigEntry } from 'kafkajs';
import { recordBytesMax } from '../bus.js';
import { correctKafkajs } from './corrections.js';

export interface TopicCounts {
  /** Of a kind's topics, in place of what is declared. Dead letters keep their one. */
  readonly partitions?: Partial<Record<Exclude<TopicKind, 'dead-letters'>, number>> | number;
  readonly replicationFactor?: number;
}

const listedWithinMs = 15_000;

/** Room for the largest record and the cause that a dead letter adds. */
export const recordConfig = (retentionMs: number): IResourceConfigEntry[] => [
  { name: 'retention.ms', value: String(retentionMs) },
  { name: 'max.message.bytes', value: String(recordBytesMax + 256 * 1024) },
];

/**
 * Creates the declared topics that do not exist yet, and says which. Those that exist are left as
 * they are: another number of partitions would break the order of what they hold.
 */
export async function createTopics(
  brokers: readonly string[],
  declared: readonly DeclaredTopic[],
  { partitions = {}, replicationFactor = -1 }: TopicCounts = {},
): Promise<readonly string[]> {
  const countOf = (topic: DeclaredTopic): number => {
    if (topic.kind === 'dead-letters') return topic.partitions;
    return typeof partitions === 'number'
      ? partitions
      : (partitions[topic.kind] ?? topic.partitions);
  };
  correctKafkajs();
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    const missing = declared.filter(({ name }) => !existing.has(name));
    if (missing.length === 0) return [];
    await admin.createTopics({
      waitForLeaders: false,
      topics: missing.map((topic) => ({
        topic: topic.name,
        numPartitions: countOf(topic),
        replicationFactor,
        configEntries: recordConfig(topic.retentionMs),
      })),
    });
    const names = missing.map(({ name }) => name);
    await listed(admin, names);
    return names;
  } finally {
    await admin.disconnect();
  }
}

/** A broker lists a topic a moment after it took it. */
async function listed(admin: Admin, names: readonly string[]): Promise<void> {
  const end = performance.now() + listedWithinMs;
  for (;;) {
    const topics = new Set(await admin.listTopics());
    const late = names.filter((name) => !topics.has(name));
    if (late.length === 0) return;
    if (performance.now() > end) throw new Error(`topics not created: ${late.join(', ')}`);
    await sleep(50);
  }
}
