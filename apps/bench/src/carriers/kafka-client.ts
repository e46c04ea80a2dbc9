import { Kafka, logLevel } from 'kafkajs';

/** The product's client settings, for every carrier on Kafka. */
export const clientOptions = (brokers: string, clientId: string) => ({
  clientId,
  brokers: brokers.split(','),
  retry: { initialRetryTime: 100, maxRetryTime: 300, retries: 40 },
  logLevel: logLevel.NOTHING,
});

/** The product's consumer settings. */
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

/** Creates missing topics. */
export async function makeTopics(brokers: string, topics: readonly BenchTopic[]): Promise<void> {
  const admin = new Kafka(clientOptions(brokers, 'bench')).admin();
  await admin.connect();
  try {
    await admin.createTopics({ waitForLeaders: true, topics: [...topics] });
  } finally {
    await admin.disconnect();
  }
}
