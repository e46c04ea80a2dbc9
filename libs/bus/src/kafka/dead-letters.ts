import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterTopic } from '../topics.js';
import type { IHeaders, Kafka } from 'kafkajs';
import type { BusLog } from '../bus.js';
import type { ConsumedRecord } from './group-member.js';
import { textsOf } from './record.js';
import { TopicWriter } from './topic-writer.js';

/** Headers of a dead letter in addition to those of the record. */
export const deadHeader = {
  cause: 'dead-cause',
  topic: 'dead-topic',
  at: 'dead-at',
  attempts: 'dead-attempts',
  /** On a replayed record: the only consumer that it is addressed to. */
  replayFor: 'dead-replay-for',
} as const;

const causeLengthMax = 2_000;
const retryAfterMs = 500;
/** The time for which a dead letter is still retried when the process stops. */
const stopGraceMs = 2_000;

export interface DeadLetterOptions {
  readonly kafka: Kafka;
  readonly log: BusLog;
  readonly prefix: string;
  /** The consumer of events, or the service, that could not handle the records. */
  readonly consumer: string;
}

/** Writes records that a consumer cannot handle to its dead-letter topic, with the cause. */
export class DeadLetters {
  private readonly writer: TopicWriter;
  private readonly stopped = new AbortController();

  constructor(private readonly options: DeadLetterOptions) {
    const { kafka, consumer, prefix } = options;
    this.writer = new TopicWriter({
      kafka,
      topic: deadLetterTopic(consumer, prefix),
      ordered: true,
    });
  }

  /** Retries until the record is stored. Rejects only when the process stops before that. */
  async store(record: ConsumedRecord, cause: unknown, attempts = 1): Promise<void> {
    const { consumer, log } = this.options;
    log.warn(
      { err: cause, consumer, topic: record.topic, attempts },
      'bus: record moved to the dead-letter topic',
    );
    const letter = {
      key: record.key?.toString() ?? null,
      headers: {
        ...textHeaders(record),
        [deadHeader.cause]: String(cause).slice(0, causeLengthMax),
        [deadHeader.topic]: record.topic,
        [deadHeader.at]: new Date().toISOString(),
        [deadHeader.attempts]: String(attempts),
      },
      value: record.value ?? Buffer.alloc(0),
    };
    const { signal } = this.stopped;
    for (;;) {
      try {
        await unlessAborted(signal, this.writer.write(letter));
        return;
      } catch (err) {
        signal.throwIfAborted();
        log.error({ err, consumer }, 'bus: dead letter could not be stored, retrying');
        await sleep(retryAfterMs, undefined, { signal });
      }
    }
  }

  /** Gives dead letters two seconds to be stored; the others stay uncommitted and are delivered again. */
  stopSoon(): void {
    setTimeout(() => this.stopped.abort(), stopGraceMs).unref();
  }

  async close(): Promise<void> {
    this.stopped.abort();
    await this.writer.close();
  }
}

/** Settles as the work does, or rejects when the signal aborts. */
const unlessAborted = (signal: AbortSignal, work: Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });

/** The headers as texts; a poison record may have any kind of header. */
function textHeaders({ headers = {} }: ConsumedRecord): Record<string, string> {
  const { [deadHeader.replayFor]: _replayFor, ...texts } = readable(headers);
  return texts;
}

function readable(headers: IHeaders): Record<string, string> {
  try {
    return textsOf(headers);
  } catch {
    const texts: Record<string, string> = {};
    for (const [name, header] of Object.entries(headers)) {
      const first = Array.isArray(header) ? header[0] : header;
      if (first != null) texts[name] = first.toString();
    }
    return texts;
  }
}
