import { withTimeout } from '@postroom/concurrency';
import type { Kafka, Message, Producer } from 'kafkajs';
import { beforeDeadline } from '../deadline.js';
import { recordBytes } from '../bus-record.js';
import { Batch } from './batch.js';
import { headersOf } from './record.js';
import { StickyPartitioner } from './tuning/sticky-partitioner.js';

/** Timeout for disconnect; do not wait for a broker that is down. */
const closeWithinMs = 2_000;

/** A little longer than kafkajs retries; with a broker that accepts and never answers it takes minutes. */
const sendWithinMs = 15_000;

/** A record to be written. */
export interface OutgoingRecord {
  /** Decides the partition; null for any partition. */
  readonly key: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Buffer;
}

export interface TopicWriterOptions {
  readonly kafka: Kafka;
  readonly topic: string;
  /** Written in order and once, by an idempotent producer. Requests and replies need neither. */
  readonly ordered?: boolean;
}

const messageOf = ({ key, headers, value }: OutgoingRecord): Message => ({
  key,
  headers: headersOf(headers),
  value,
});

/**
 * Writes one topic with a producer of its own: with kafkajs a topic that was deleted fails the sends to
 * every other topic that the same producer has written.
 */
export class TopicWriter {
  private readonly batch: Batch<OutgoingRecord>;
  private readonly partitioner = new StickyPartitioner();
  private producer: Promise<Producer> | undefined;
  private closed = false;

  constructor(private readonly options: TopicWriterOptions) {
    const { ordered = false } = options;
    this.batch = new Batch({
      ordered,
      sendsMax: ordered ? 1 : 5,
      send: (records) => this.send(records),
    });
  }

  /**
   * Resolves when the brokers have stored the record. Retries for some 12 s, 15 at most.
   * @throws BusUnavailable `deadline` when the record could not be sent before it
   */
  write(record: OutgoingRecord, deadlineMs?: number): Promise<void> {
    return this.batch.sendInBatch(record, recordBytes(record), deadlineMs);
  }

  async close(): Promise<void> {
    this.closed = true;
    await withTimeout(this.disconnect(), closeWithinMs, () => undefined);
  }

  private async send(records: readonly OutgoingRecord[]): Promise<void> {
    const { topic, ordered = false } = this.options;
    let producer: Producer | undefined;
    const sending = async (): Promise<void> => {
      producer = await this.connected();
      this.partitioner.nextSend();
      await producer.send({ topic, messages: records.map(messageOf) });
    };
    try {
      await beforeDeadline(sending(), Date.now() + sendWithinMs);
    } catch (error) {
      // After a failure an idempotent producer does not know which sequence numbers the broker has.
      if (ordered && producer) await withTimeout(this.disconnect(), closeWithinMs, () => undefined);
      throw error;
    }
  }

  private connected(): Promise<Producer> {
    if (this.closed) return Promise.reject(new Error('closed'));
    this.producer ??= this.connect();
    return this.producer;
  }

  private async connect(): Promise<Producer> {
    const { kafka, ordered = false } = this.options;
    const producer = kafka.producer({
      idempotent: ordered,
      ...(ordered && { maxInFlightRequests: 1 }),
      allowAutoTopicCreation: false,
      createPartitioner: () => this.partitioner.partitionOf,
    });
    try {
      await producer.connect();
      return producer;
    } catch (error) {
      this.producer = undefined;
      await producer.disconnect().catch(() => undefined);
      throw error;
    }
  }

  private async disconnect(): Promise<void> {
    const producer = this.producer;
    this.producer = undefined;
    await producer?.then(
      (connected) => connected.disconnect(),
      () => undefined,
    );
  }
}
