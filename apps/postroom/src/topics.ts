import {
  createTopics,
  declaredTopics,
  type KafkaPlace,
  type TopicAtRisk,
  topicsAtRisk,
} from '@postroom/bus';
import { StartError } from './start-error.js';

/**
 * Creates the missing topics of the product.
 * @throws StartError when the brokers cannot be used, or would lose records with one of three of them
 */
export async function makeTopics(place: KafkaPlace, prefix: string): Promise<void> {
  try {
    const declared = declaredTopics({ prefix });
    await createTopics(place, declared);
    const [first, ...further] = await topicsAtRisk(place, declared);
    if (first) throw new StartError(atRisk([first, ...further]));
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new StartError(
      `Kafka at ${place.brokers.join(', ')} cannot be used (KAFKA_BROKERS): ${reason}`,
      { cause },
    );
  }
}

/** What is wrong with topics that a lost broker takes with it, and what to do. */
export const atRisk = (topics: readonly TopicAtRisk[]): string =>
  `${topics
    .map(
      ({ topic, replicas, minInsyncReplicas }) =>
        `${topic} (replicas ${replicas}, min.insync.replicas ${minInsyncReplicas})`,
    )
    .join(', ')}: of three brokers or more, one that is lost takes records with it. ` +
  'Give each 3 replicas (kafka-reassign-partitions) and min.insync.replicas=2 (kafka-configs).';
