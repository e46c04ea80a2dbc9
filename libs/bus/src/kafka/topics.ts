import type { DeclaredTopic, TopicKind } from '@postroom/contracts';
import type { IResourceConfigEntry } from 'kafkajs';
import { recordBytesMax } from '../bus.js';
import { kafkaClient, silent } from './client.js';
import { NotYet, retriable } from './retriable.js';

export interface TopicCounts {
  /** Of a kind's topics, in place of what is declared. Dead letters keep their one. */
  readonly partitions?: Partial<Record<Exclude<TopicKind, 'dead-letters'>, number>> | number;
  readonly replicationFactor?: number;
}

/** A controller on a busy machine; kafkajs gives it five seconds. */
const createWithinMs = 15_000;
const madeWithinMs = 60_000;

const dayMs = 24 * 3_600_000;

/**
 * Room for the largest record and the cause that a dead letter adds. A broker forgets whole segments,
 * and never the one it writes: without an end of its own a quiet topic's would outlive its time.
 */
export const recordConfig = (retentionMs: number): IResourceConfigEntry[] => [
  { name: 'retention.ms', value: String(retentionMs) },
  { name: 'segment.ms', value: String(Math.min(retentionMs, dayMs)) },
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
  const admin = kafkaClient({ brokers, instance: 'topics', log: silent }).admin();
  const made = new Set<string>();
  const create = async (): Promise<void> => {
    const existing = new Set(await admin.listTopics());
    const missing = declared.filter(({ name }) => !existing.has(name));
    if (missing.length === 0) return;
    for (const { name } of missing) made.add(name);
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
    // A broker lists a topic a moment after it took it; one that was too slow is asked once more.
    throw new NotYet(`topics not created: ${missing.map(({ name }) => name).join(', ')}`);
  };
  await admin.connect();
  try {
    await retriable(create, madeWithinMs);
    return [...made];
  } finally {
    await admin.disconnect();
  }
}
