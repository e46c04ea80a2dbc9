import { randomUUID } from 'node:crypto';
import { deadLetterTopic } from '@postroom/contracts';
import type { Admin, Kafka, KafkaMessage } from 'kafkajs';
import { beforeDeadline } from '../deadline.js';
import { kafkaClient, type ClientOptions } from './client.js';
import { deadHeader } from './dead-letters.js';
import { readRecord } from './record.js';
import { NotYet, retriable } from './retriable.js';
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

/** At most this many are held in memory, or so many bytes and one more. */
const pageMax = { letters: 1_000, bytes: 32 * 1024 * 1024 } as const;
/** Each step of it: a group to join, a page to read, a position to keep. */
const stepWithinMs = 30_000;

interface Parked {
  readonly kafka: Kafka;
  readonly admin: Admin;
  readonly consumer: string;
  readonly topic: string;
  /** Its committed offset says how far the dead letters have been replayed. */
  readonly replayGroup: string;
}

/** The oldest thousand dead letters of a consumer (or service) that were not replayed yet, in order. */
export function listDeadLetters(
  options: ParkedOptions,
  consumer: string,
): Promise<readonly ParkedRecord[]> {
  return withParked(options, consumer, async (parked) => {
    const { from, to } = await unreplayed(parked);
    return from < to ? (await readPage(parked, from, to)).map(asParked) : [];
  });
}

/**
 * Sends a consumer its dead letters once more, oldest first, by way of the topics they came from;
 * other consumers pass them over. Says how many. What fails again is parked again. Interrupted, it
 * may send some twice: consumers tell events apart by their id.
 */
export function replayDeadLetters(options: ParkedOptions, consumer: string): Promise<number> {
  return withParked(options, consumer, async (parked) => {
    const { from, to } = await unreplayed(parked);
    let replayed = 0;
    for (let next = from; next < to;) {
      const letters = (await readPage(parked, next, to)).map(asParked);
      await writeBack(parked, letters);
      next = Number(letters.at(-1)?.offset) + 1;
      await keepReplayed(parked, next);
      replayed += letters.length;
    }
    return replayed;
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
    return await work({ kafka, admin, consumer, topic, replayGroup: `${topic}.replay` });
  } finally {
    await admin.disconnect();
  }
}

/** Offsets of the dead letters there are now: the first one to replay, and past the last one. */
async function unreplayed({ admin, topic, replayGroup }: Parked) {
  const [ends] = await retriable(() => admin.fetchTopicOffsets(topic), stepWithinMs);
  const replayed = await replayedTo({ admin, topic, replayGroup });
  return { from: Math.max(replayed, Number(ends?.low ?? 0)), to: Number(ends?.high ?? 0) };
}

/** Kafka says -1 for a group that has committed nothing. */
const replayedTo = ({
  admin,
  topic,
  replayGroup,
}: Pick<Parked, 'admin' | 'topic' | 'replayGroup'>) =>
  retriable(async () => {
    const [replayed] = await admin.fetchOffsets({ groupId: replayGroup, topics: [topic] });
    return Number(replayed?.partitions[0]?.offset ?? -1);
  }, stepWithinMs);

/** kafkajs does not say when it could not. */
const keepReplayed = ({ admin, topic, replayGroup }: Parked, next: number): Promise<void> =>
  retriable(async () => {
    const partitions = [{ partition: 0, offset: String(next) }];
    await admin.setOffsets({ groupId: replayGroup, topic, partitions });
    const kept = await replayedTo({ admin, topic, replayGroup });
    if (kept !== next) throw new NotYet(`replayed to ${next}, but kept as ${kept}`);
  }, stepWithinMs);

async function writeBack({ kafka, consumer }: Parked, letters: readonly ParkedRecord[]) {
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

const readPage = (parked: Parked, from: number, to: number): Promise<readonly KafkaMessage[]> =>
  retriable(() => readOnce(parked, from, to), stepWithinMs);

/** Kafka lets nobody read without a group: this one lives for the reading alone. */
async function readOnce({ kafka, admin, topic }: Parked, from: number, to: number) {
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

/** The letters from an offset on, as many as are held at a time. */
class Page {
  readonly letters: KafkaMessage[] = [];
  isFull = false;
  private bytes = 0;

  constructor(
    private next: number,
    private readonly to: number,
  ) {}

  /** A record that comes again after a restart, or past the end, is not taken. */
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
