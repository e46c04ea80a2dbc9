import { randomUUID } from 'node:crypto';
import { deadLetterTopic } from '../topics.js';
import type { Admin, Kafka, KafkaMessage } from 'kafkajs';
import { beforeDeadline } from '../deadline.js';
import { type ClientOptions, kafkaClient, NotYet, retriable } from './client.js';
import { deadHeader } from './dead-letters.js';
import { readRecord } from './record.js';
import { TopicWriter } from './topic-writer.js';

/** A record that a consumer could not handle, and why. */
export interface DeadLetterRecord {
  /** Its offset in the dead-letter topic. */
  readonly offset: string;
  /** The topic it came from. */
  readonly topic: string;
  readonly key: string | null;
  /** The original headers; an event has `id`, `type`, `tenant` and `resource`. */
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
  readonly cause: string;
  readonly attempts: number;
  /** ISO 8601. */
  readonly parkedAt: string;
}

export interface DeadLetterAccess extends Omit<ClientOptions, 'instance'> {
  readonly prefix?: string;
}

/** Bounds on the letters in memory; the last letter may exceed the bytes. */
const pageMax = { letters: 1_000, bytes: 32 * 1024 * 1024 } as const;
/** Timeout of each step: joining a group, reading a page, committing a position. */
const stepWithinMs = 30_000;

interface DeadLetterTopic {
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly consumer: string;
  readonly topic: string;
  /** Its committed offset is the position up to which the dead letters have been replayed. */
  readonly replayGroup: string;
}

/** The oldest thousand dead letters of a consumer (or service) that have not been replayed, in order. */
export function listDeadLetters(
  options: DeadLetterAccess,
  consumer: string,
): Promise<readonly DeadLetterRecord[]> {
  return withDeadLetters(options, consumer, async (topic) => {
    const { from, to } = await unreplayed(topic);
    return from < to ? (await readPage(topic, from, to)).map(deadLetterOf) : [];
  });
}

/**
 * Sends a consumer its dead letters again, oldest first, through the topics they came from; other
 * consumers ignore them. A record that fails again becomes a dead letter again. An interrupted replay
 * may send some records twice: consumers deduplicate events by id.
 * @returns how many were sent
 */
export function replayDeadLetters(options: DeadLetterAccess, consumer: string): Promise<number> {
  return withDeadLetters(options, consumer, async (topic) => {
    const { from, to } = await unreplayed(topic);
    let replayed = 0;
    for (let next = from; next < to;) {
      const letters = (await readPage(topic, next, to)).map(deadLetterOf);
      await writeBack(topic, letters);
      next = Number(letters.at(-1)?.offset) + 1;
      await commitReplayed(topic, next);
      replayed += letters.length;
    }
    return replayed;
  });
}

/** Counts those of a consumer that were not replayed. */
export async function countDeadLetters(
  admin: Admin,
  consumer: string,
  prefix: string,
): Promise<number> {
  const topic = deadLetterTopic(consumer, prefix);
  const { from, to } = await unreplayed({ admin, topic, replayGroup: replayGroupOf(topic) });
  return Math.max(0, to - from);
}

const replayGroupOf = (topic: string): string => `${topic}.replay`;

async function withDeadLetters<T>(
  { prefix = 'postroom', ...options }: DeadLetterAccess,
  consumer: string,
  work: (letters: DeadLetterTopic) => Promise<T>,
): Promise<T> {
  const kafka = kafkaClient({ ...options, instance: `${prefix}.dead-letters` });
  const admin = kafka.admin();
  const topic = deadLetterTopic(consumer, prefix);
  await admin.connect();
  try {
    return await work({ kafka, admin, consumer, topic, replayGroup: replayGroupOf(topic) });
  } finally {
    await admin.disconnect();
  }
}

/** Range of the dead letters to replay: the first offset, and the one past the last. */
async function unreplayed({
  admin,
  topic,
  replayGroup,
}: Pick<DeadLetterTopic, 'admin' | 'topic' | 'replayGroup'>) {
  const [ends] = await retriable(() => admin.fetchTopicOffsets(topic), stepWithinMs);
  const replayed = await replayedTo({ admin, topic, replayGroup });
  return { from: Math.max(replayed, Number(ends?.low ?? 0)), to: Number(ends?.high ?? 0) };
}

/** Kafka answers -1 for a group that has committed nothing. */
const replayedTo = ({
  admin,
  topic,
  replayGroup,
}: Pick<DeadLetterTopic, 'admin' | 'topic' | 'replayGroup'>) =>
  retriable(async () => {
    const [replayed] = await admin.fetchOffsets({ groupId: replayGroup, topics: [topic] });
    return Number(replayed?.partitions[0]?.offset ?? -1);
  }, stepWithinMs);

/** kafkajs does not report a failed commit, so the position is read back. */
const commitReplayed = (
  { admin, topic, replayGroup }: DeadLetterTopic,
  next: number,
): Promise<void> =>
  retriable(async () => {
    const partitions = [{ partition: 0, offset: String(next) }];
    await admin.setOffsets({ groupId: replayGroup, topic, partitions });
    const committed = await replayedTo({ admin, topic, replayGroup });
    if (committed !== next) throw new NotYet(`replayed to ${next}, but committed as ${committed}`);
  }, stepWithinMs);

async function writeBack(
  { kafka, consumer }: DeadLetterTopic,
  letters: readonly DeadLetterRecord[],
) {
  const writers = new Map<string, TopicWriter>();
  try {
    const written = letters.map(({ topic, key, headers, value }) => {
      const writer = writers.get(topic) ?? new TopicWriter({ kafka, topic, ordered: true });
      writers.set(topic, writer);
      const forOne = { ...headers, [deadHeader.replayFor]: consumer };
      return writer.write({ key, headers: forOne, value });
    });
    await Promise.all(written);
  } finally {
    await Promise.all([...writers.values()].map((writer) => writer.close()));
  }
}

const readPage = (
  topic: DeadLetterTopic,
  from: number,
  to: number,
): Promise<readonly KafkaMessage[]> => retriable(() => readOnce(topic, from, to), stepWithinMs);

/** kafkajs reads only as a member of a group; this one is deleted afterwards. */
async function readOnce({ kafka, admin, topic }: DeadLetterTopic, from: number, to: number) {
  const groupId = `${topic}.list.${randomUUID()}`;
  const consumer = kafka.consumer({ groupId, maxWaitTimeInMs: 100 });
  const page = new Page(from, to);
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    const reading = new Promise<void>((resolve, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload: { error, restart } }) => {
        if (!restart) reject(error);
      });
      const eachMessage = async ({ message }: { message: KafkaMessage }): Promise<void> => {
        page.add(message);
        if (page.isFull) resolve();
      };
      consumer.run({ autoCommit: false, eachMessage }).catch(reject);
      consumer.seek({ topic, partition: 0, offset: String(from) });
    });
    await beforeDeadline(reading, Date.now() + stepWithinMs);
  } finally {
    await consumer.disconnect();
    await admin.deleteGroups([groupId]).catch(() => undefined);
  }
  return page.letters;
}

/** The letters from an offset on, up to the bounds of a page. */
class Page {
  readonly letters: KafkaMessage[] = [];
  isFull = false;
  private bytes = 0;

  constructor(
    private next: number,
    private readonly to: number,
  ) {}

  /** Ignores a record that is delivered again after a restart, and one past the end. */
  add(message: KafkaMessage): void {
    const offset = Number(message.offset);
    if (this.isFull || offset < this.next) return;
    if (offset < this.to) this.letters.push(message);
    this.next = offset + 1;
    this.bytes += message.value?.length ?? 0;
    this.isFull =
      this.next >= this.to ||
      this.letters.length === pageMax.letters ||
      this.bytes >= pageMax.bytes;
  }
}

function deadLetterOf({ offset, key, headers, value }: KafkaMessage): DeadLetterRecord {
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
