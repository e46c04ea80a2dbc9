import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterTopic } from '@postroom/contracts';
import type { Admin, Kafka, KafkaJSError, KafkaMessage } from 'kafkajs';
import { kafkaClient, type ClientOptions } from './client.js';
import { deadHeader } from './dead-letters.js';
import { readRecord } from './record.js';
import { TopicWriter } from './topic-writer.js';

/** A record that a consumer could not handle. */
export interface ParkedRecord {
  /** Its place among the consumer's dead letters. */
  readonly offset: string;
  /** The topic it came from. */
  readonly topic: string;
  readonly key: string | null;
  /** As they came; an event has `id`, `type`, `tenant` and `resource`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
  readonly cause: string;
  readonly attempts: number;
  /** ISO 8601. */
  readonly parkedAt: string;
}

export interface ParkedOptions extends Omit<ClientOptions, 'instance'> {
  readonly prefix?: string;
}

const leaderWithinMs = 15_000;

interface Parked {
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly topic: string;
  /** Its committed offset says how far the dead letters have been replayed. */
  readonly replayGroup: string;
}

/** The dead letters of a consumer (or service) that were not replayed yet, oldest first. */
export function listDeadLetters(
  options: ParkedOptions,
  consumer: string,
): Promise<readonly ParkedRecord[]> {
  return withParked(options, consumer, unreplayed);
}

/**
 * Sends a consumer its dead letters once more, oldest first, by way of the topics they came from;
 * other consumers pass them over. Says how many. What fails again is parked again. Interrupted, it
 * may send some twice: consumers tell events apart by their id.
 */
export function replayDeadLetters(options: ParkedOptions, consumer: string): Promise<number> {
  return withParked(options, consumer, async (parked) => {
    const { kafka, admin, topic, replayGroup } = parked;
    const letters = await unreplayed(parked);
    const last = letters.at(-1);
    if (!last) return 0;
    const writers = new Map<string, TopicWriter>();
    try {
      for (const letter of letters) {
        const writer =
          writers.get(letter.topic) ??
          new TopicWriter({ kafka, topic: letter.topic, ordered: true });
        writers.set(letter.topic, writer);
        const headers = { ...letter.headers, [deadHeader.replayFor]: consumer };
        await writer.write({ key: letter.key, headers, value: letter.value });
      }
    } finally {
      await Promise.all([...writers.values()].map((writer) => writer.close()));
    }
    const offset = String(Number(last.offset) + 1);
    await admin.setOffsets({ groupId: replayGroup, topic, partitions: [{ partition: 0, offset }] });
    return letters.length;
  });
}

async function withParked<T>(
  { prefix = 'postroom', ...options }: ParkedOptions,
  consumer: string,
  work: (parked: Parked) => Promise<T>,
): Promise<T> {
  const kafka = kafkaClient({ ...options, instance: `${prefix}.dead-letters` });
  const admin = kafka.admin();
  const topic = deadLetterTopic(consumer, prefix);
  await admin.connect();
  try {
    return await work({ kafka, admin, topic, replayGroup: `${topic}.replay` });
  } finally {
    await admin.disconnect();
  }
}

async function unreplayed(parked: Parked): Promise<readonly ParkedRecord[]> {
  const { admin, topic, replayGroup } = parked;
  const [ends] = await offsetsOf(admin, topic);
  const [replayed] = await admin.fetchOffsets({ groupId: replayGroup, topics: [topic] });
  if (!ends) return [];
  // Kafka says -1 for a group that has committed nothing.
  const committed = Number(replayed?.partitions[0]?.offset ?? -1);
  const from = Math.max(committed, Number(ends.low));
  const to = Number(ends.high);
  return from < to ? (await read(parked, from, to)).map(asParked) : [];
}

/** A broker lists a new topic a moment before it leads it; kafkajs gives up at the first refusal. */
async function offsetsOf(admin: Admin, topic: string) {
  const end = performance.now() + leaderWithinMs;
  for (;;) {
    try {
      return await admin.fetchTopicOffsets(topic);
    } catch (err) {
      const { retriable } = err as KafkaJSError;
      if (!retriable || performance.now() > end) throw err;
      await sleep(100);
    }
  }
}

/** Kafka lets nobody read without a group: this one lives for the reading alone. */
async function read({ kafka, admin, topic }: Parked, from: number, to: number) {
  const groupId = `${topic}.list.${randomUUID()}`;
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 });
  const messages: KafkaMessage[] = [];
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      const crashed = consumer.events.CRASH;
      consumer.on(crashed, ({ payload: { error } }) => reject(error));
      const eachMessage = async ({ message }: { message: KafkaMessage }): Promise<void> => {
        const offset = Number(message.offset);
        if (offset >= from && offset < to) messages.push(message);
        if (offset >= to - 1) resolve();
      };
      consumer.run({ autoCommit: false, eachMessage }).catch(reject);
      consumer.seek({ topic, partition: 0, offset: String(from) });
    });
  } finally {
    await consumer.disconnect();
    await admin.deleteGroups([groupId]).catch(() => undefined);
  }
  return messages;
}

function asParked({ offset, key, headers, value }: KafkaMessage): ParkedRecord {
  const record = readRecord({ topic: '', key, headers, value });
  const {
    [deadHeader.cause]: cause = '',
    [deadHeader.topic]: topic = '',
    [deadHeader.at]: parkedAt = '',
    [deadHeader.attempts]: attempts = '1',
    ...original
  } = record.headers;
  return {
    offset,
    topic,
    key: key?.toString() ?? null,
    headers: original,
    value: record.value,
    cause,
    attempts: Number(attempts),
    parkedAt,
  };
}
