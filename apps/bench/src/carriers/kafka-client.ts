import { Kafka, logLevel } from 'kafkajs';

/** The settings of a client that every contestant on Kafka gets: those of the product. */
export const clientOptions = (brokers: string, clientId: string) => ({
  clientId,
  brokers: brokers.split(','),
  retry: { initialRetryTime: 100, maxRetryTime: 300, retries: 40 },
  logLevel: logLevel.NOTHING,
});

/** The settings of a consumer, likewise. */
export const consumerOptions = (groupId: string) => ({
  groupId,
  heartbeatInterval: 300,
  sessionTimeout: 6_000,
  maxWaitTimeInMs: 300,
  allowAutoTopicCreation: false,
});

/** A topic to be made before a contestant starts. */
export interface BenchTopic {
  readonly topic: string;
  readonly numPartitions: number;
}

/** Makes topics that are not there. */
export async function makeTopics(brokers: string, topics: readonly BenchTopic[]): Promise<void> {
  const admin = new Kafka(clientOptions(brokers, 'bench')).admin();
  await admin.connect();
  try {
    await admin.createTopics({ waitForLeaders: true, topics: [...topics] });
  } finally {
    await admin.disconnect();
  }
}
