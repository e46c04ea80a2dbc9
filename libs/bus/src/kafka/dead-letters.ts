import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterTopic } from '@postroom/contracts';
import type { Kafka } from 'kafkajs';
import type { BusLog } from '../bus.js';
import type { Arrival } from './consumption.js';
import { TopicWriter } from './topic-writer.js';

/** Headers that a dead letter has beside those of the record. */
export const deadHeader = {
  cause: 'dead-cause',
  topic: 'dead-topic',
  at: 'dead-at',
  attempts: 'dead-attempts',
  /** On a replayed record: the only consumer that it is meant for. */
  replayFor: 'dead-replay-for',
} as const;

const causeLengthMax = 2_000;
const againAfterMs = 500;

export interface DeadLetterOptions {
  readonly kafka: Kafka;
  readonly log: BusLog;
  readonly prefix: string;
  /** Whose dead letters: a consumer of events, or a service. */
  readonly consumer: string;
}

/** Parks what a consumer cannot handle: the record as it came, and why. */
export class DeadLetters {
  private readonly writer: TopicWriter;
  private closed = false;

  constructor(private readonly options: DeadLetterOptions) {
    const { kafka, consumer, prefix } = options;
    this.writer = new TopicWriter({
      kafka,
      topic: deadLetterTopic(consumer, prefix),
      ordered: true,
    });
  }

  /** Resolves when the record is stored: it is tried until then. Rejects only when closed before. */
  async park(arrival: Arrival, cause: unknown, attempts = 1): Promise<void> {
    const { consumer, log } = this.options;
    log.warn({ err: cause, consumer, topic: arrival.topic, attempts }, 'bus: record parked');
    const letter = {
      key: arrival.key?.toString() ?? null,
      headers: {
        ...textHeaders(arrival),
        [deadHeader.cause]: String(cause).slice(0, causeLengthMax),
        [deadHeader.topic]: arrival.topic,
        [deadHeader.at]: new Date().toISOString(),
        [deadHeader.attempts]: String(attempts),
      },
      value: arrival.value ?? Buffer.alloc(0),
    };
    for (;;) {
      try {
        await this.writer.write(letter);
        return;
      } catch (err) {
        if (this.closed) throw err;
        log.error({ err, consumer }, 'bus: dead letter not stored yet');
        await sleep(againAfterMs);
      }
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.writer.close();
  }
}

/** The headers that are texts; a poison record may have any. */
function textHeaders({ headers = {} }: Arrival): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, header] of Object.entries(headers)) {
    const first = Array.isArray(header) ? header[0] : header;
    if (first !== undefined && name !== deadHeader.replayFor) texts[name] = first.toString();
  }
  return texts;
}
