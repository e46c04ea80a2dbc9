import type { DeclaredTopic, TopicKind } from '../topics.js';
import kafkajs, { type Admin, type IResourceConfigEntry } from 'kafkajs';
import { recordBytesMax } from '../bus-record.js';
import {
  isTransient,
  kafkaClient,
  type KafkaConnection,
  NotYet,
  retriable,
  silent,
} from './client.js';

export interface TopicCounts {
  /** For the topics of a kind, instead of what is declared. Dead-letter topics always have one. */
  readonly partitions?: Partial<Record<Exclude<TopicKind, 'dead-letters'>, number>> | number;
  readonly replicationFactor?: number;
}

// Node finds no such names among what this CommonJS package exports.
const { ConfigResourceTypes, KafkaJSAggregateError } = kafkajs;

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

/** Copies of a record where there are as many brokers, and how many must have it: one may be lost. */
const copies = 3;
const copiesInSync = 2;

/** The replication of a new topic: the brokers' own default, unless they are three or more. */
export async function replication(
  admin: Admin,
): Promise<{ replicationFactor: number; configEntries: IResourceConfigEntry[] }> {
  const { brokers } = await admin.describeCluster();
  if (brokers.length < copies) return { replicationFactor: -1, configEntries: [] };
  const inSync = { name: 'min.insync.replicas', value: String(copiesInSync) };
  return { replicationFactor: copies, configEntries: [inSync] };
}

/**
 * Creates the declared topics that do not exist yet. Existing topics are left as they are: another
 * number of partitions would break the order of their records.
 * @returns the names of the created topics
 * @throws Error with the brokers' reasons, when they refuse for good or for longer than a minute
 */
export async function createTopics(
  place: KafkaConnection,
  declared: readonly DeclaredTopic[],
  { partitions = {}, replicationFactor }: TopicCounts = {},
): Promise<readonly string[]> {
  const countOf = (topic: DeclaredTopic): number => {
    if (topic.kind === 'dead-letters') return topic.partitions;
    return typeof partitions === 'number'
      ? partitions
      : (partitions[topic.kind] ?? topic.partitions);
  };
  const admin = kafkaClient({ ...place, instance: 'topics', log: silent }).admin();
  const created = new Set<string>();
  const create = async (): Promise<void> => {
    const existing = new Set(await admin.listTopics());
    const missing = declared.filter(({ name }) => !existing.has(name));
    if (missing.length === 0) return;
    for (const { name } of missing) created.add(name);
    const kept = await replication(admin);
    const creating = admin.createTopics({
      waitForLeaders: false,
      timeout: createWithinMs,
      topics: missing.map((topic) => ({
        topic: topic.name,
        numPartitions: countOf(topic),
        replicationFactor: replicationFactor ?? kept.replicationFactor,
        configEntries: [...recordConfig(topic.retentionMs), ...kept.configEntries],
      })),
    });
    await creating.catch(explainRefusals);
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

/**
 * Refusals that kafkajs takes for permanent. While every broker has missed its heartbeats, because it
 * starts or its machine stood still, no number of replicas is possible.
 */
const transientRefusals = new Set<unknown>(['INVALID_REPLICATION_FACTOR', 'TOPIC_ALREADY_EXISTS']);

interface TopicRefusal extends Error {
  readonly topic: string;
  /** The name of Kafka's error code. */
  readonly type: string;
}

/**
 * For a failure of kafkajs to create topics, which hides the brokers' reasons in a list.
 * @throws the failure, or one error that names each refused topic with its reason and is transient if
 * all of them are
 */
export function explainRefusals(failure: unknown): never {
  if (!(failure instanceof KafkaJSAggregateError)) throw failure;
  const refusals = failure.errors as TopicRefusal[];
  const reasons = refusals.map(({ topic, message }) => `${topic} (${message})`).join(', ');
  const message = `topics not created: ${reasons}`;
  const mayPass = refusals.every((err) => isTransient(err) || transientRefusals.has(err.type));
  throw mayPass ? new NotYet(message) : new Error(message);
}

/** The declared topics that the brokers do not have. */
export async function missingTopics(
  place: KafkaConnection,
  declared: readonly DeclaredTopic[],
): Promise<readonly string[]> {
  const admin = kafkaClient({ ...place, instance: 'topics', log: silent }, { retries: 5 }).admin();
  await admin.connect();
  try {
    const existing = new Set(await admin.listTopics());
    return declared.map(({ name }) => name).filter((name) => !existing.has(name));
  } finally {
    await admin.disconnect();
  }
}

/** A declared topic of which a lost broker would lose records, or stop writes. */
export interface TopicAtRisk {
  readonly topic: string;
  /** Copies of the partition that has the fewest. */
  readonly replicas: number;
  readonly minInsyncReplicas: number;
}

/**
 * The declared topics that one of three brokers or more takes with it: kept in fewer than three copies,
 * or acknowledged by fewer than two. None where there are fewer brokers.
 */
export async function topicsAtRisk(
  place: KafkaConnection,
  declared: readonly DeclaredTopic[],
): Promise<readonly TopicAtRisk[]> {
  const admin = kafkaClient({ ...place, instance: 'topics', log: silent }, { retries: 5 }).admin();
  await admin.connect();
  try {
    const { brokers } = await admin.describeCluster();
    if (brokers.length < copies) return [];
    const names = declared.map(({ name }) => name);
    const { topics } = await admin.fetchTopicMetadata({ topics: names });
    const inSync = await minInsyncReplicas(admin, names);
    return topics
      .map(({ name, partitions }) => ({
        topic: name,
        replicas: Math.min(...partitions.map(({ replicas }) => replicas.length)),
        minInsyncReplicas: inSync.get(name) ?? NaN,
      }))
      .filter(
        ({ replicas, minInsyncReplicas: least }) => replicas < copies || !(least >= copiesInSync),
      );
  } finally {
    await admin.disconnect();
  }
}

async function minInsyncReplicas(
  admin: Admin,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({
      type: ConfigResourceTypes.TOPIC,
      name,
      configNames: ['min.insync.replicas'],
    })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      Number(configEntries[0]?.configValue),
    ]),
  );
}
