import type { DeclaredTopic, TopicKind } from '@postroom/contracts';
import type { IResourceConfigEntry } from 'kafkajs';
import { recordBytesMax } from '../bus.js';
import { kafkaClient, silent } from './client.js';
import { NotYet, retriable } from './retriable.js';

export interface TopicCounts {
  /** For the topics of a kind, instead of what is declared. Dead-letter topics always have one. */
  readonly partitions?: Partial<Record<Exclude<TopicKind, 'dead-letters'>, number>> | number;
  readonly replicationFactor?: number;
}

/** For a controller on a busy machine; kafkajs's default is five seconds. */
const createWithinMs = 15_000;
const createAllWithinMs = 60_000;

const dayMs = 24 * 3_600_000;

/**
 * Room for the largest record and the cause that a dead letter adds. A broker deletes whole segments,
 * and never the active one: without `segment.ms` the records of a quiet topic would outlive their
 * retention.
 */
export const recordConfig = (retentionMs: number): IResourceConfigEntry[] => [
  { name: 'retention.ms', value: String(retentionMs) },
  { name: 'segment.ms', value: String(Math.min(retentionMs, dayMs)) },
  { name: 'max.message.bytes', value: String(recordBytesMax + 256 * 1024) },
];

/**
 * Creates the declared topics that do not exist yet. Existing topics are left as they are: another
 * number of partitions would break the order of their records.
 * @returns the names of the created topics
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
  const admin = kafkaClient({ brokers, instance: 'topics', log: silent }).admin();
  const created = new Set<string>();
  const create = async (): Promise<void> => {
    const existing = new Set(await admin.listTopics());
    const missing = declared.filter(({ name }) => !existing.has(name));
    if (missing.length === 0) return;
    for (const { name } of missing) created.add(name);
    await admin.createTopics({
      waitForLeaders: false,
      timeout: createWithinMs,
      topics: missing.map((topic) => ({
        topic: topic.name,
        numPartitions: countOf(topic),
        replicationFactor,
        configEntries: recordConfig(topic.retentionMs),
      })),
    });
    // A topic is listed a moment after its creation; the next attempt checks that it is.
    throw new NotYet(`topics not created: ${missing.map(({ name }) => name).join(', ')}`);
  };
  await admin.connect();
  try {
    await retriable(create, createAllWithinMs);
    return [...created];
  } finally {
    await admin.disconnect();
  }
}
