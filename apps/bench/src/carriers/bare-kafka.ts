import {
  Kafka,
  Partitioners,
  type Consumer,
  type EachMessagePayload,
  type Kafka as Client,
} from 'kafkajs';
import type { Carrier } from './carrier.js';
import { clientOptions, consumerOptions, type BenchTopic } from './kafka-client.js';
import { Waiting } from './waiting.js';

const [requests, replies] = ['bench.bare.requests', 'bench.bare.replies'];

export const bareTopics: readonly BenchTopic[] = [
  { topic: requests, numPartitions: 6 },
  { topic: replies, numPartitions: 1 },
];

/**
 * The minimum of a request and its reply on kafkajs: one send and one consumer each, without
 * awaiting handlers, commits, ordering or recovery.
 */
export const bareKafka: Carrier = {
  async serve({ brokers }, answer) {
    const kafka = new Kafka(clientOptions(brokers, 'bare-service'));
    const producer = await connectedProducer(kafka);
    const consumer = await consume(kafka, requests, async ({ message: { value, headers } }) => {
      const reply = await answer(value ?? Buffer.alloc(0));
      await producer.send({
        topic: replies,
        messages: [{ value: reply, headers: { id: headers?.['id'] } }],
      });
    });
    return { address: null, close: () => disconnect(producer, consumer) };
  },

  async call({ brokers }) {
    const kafka = new Kafka(clientOptions(brokers, 'bare-caller'));
    const waiting = new Waiting();
    const producer = await connectedProducer(kafka);
    const consumer = await consume(kafka, replies, ({ message: { value, headers } }) => {
      waiting.take(String(headers?.['id']), value ?? Buffer.alloc(0));
      return Promise.resolve();
    });
    return {
      ask: (value) =>
        waiting.ask((id) =>
          producer.send({ topic: requests, messages: [{ value, headers: { id } }] }),
        ),
      close: () => disconnect(producer, consumer),
    };
  },
};

async function connectedProducer(kafka: Client) {
  const producer = kafka.producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  return producer;
}

async function consume(
  kafka: Client,
  topic: string,
  take: (payload: EachMessagePayload) => Promise<void>,
): Promise<Consumer> {
  const consumer = kafka.consumer(consumerOptions(topic));
  await consumer.connect();
  await consumer.subscribe({ topics: [topic], fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachMessage: (payload) => {
      void take(payload);
      return Promise.resolve();
    },
  });
  return consumer;
}

async function disconnect(...clients: readonly { disconnect(): Promise<void> }[]): Promise<void> {
  await Promise.all(clients.map((client) => client.disconnect()));
}
