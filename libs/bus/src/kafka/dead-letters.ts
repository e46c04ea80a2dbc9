import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterTopic } from '@postroom/contracts';
import type { IHeaders, Kafka } from 'kafkajs';
import type { BusLog } from '../bus.js';
import type { Arrival } from './consumption.js';
import { textsOf } from './record.js';
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
/** What is being parked while the process stops has so long left: a broker that is there takes it. */
const lastWordMs = 2_000;

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
  private readonly givenUp = new AbortController();

  constructor(private readonly options: DeadLetterOptions) {
    const { kafka, consumer, prefix } = options;
    this.writer = new TopicWriter({
      kafka,
      topic: deadLetterTopic(consumer, prefix),
      ordered: true,
    });
  }

  /** Resolves when the record is stored: it is tried until then. Rejects only when given up before. */
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
    const { signal } = this.givenUp;
    for (;;) {
      try {
        await unlessAborted(signal, this.writer.write(letter));
        return;
      } catch (err) {
        signal.throwIfAborted();
        log.error({ err, consumer }, 'bus: dead letter not stored yet');
        await sleep(againAfterMs, undefined, { signal });
      }
    }
  }

  /** What cannot be parked within moments is left to come again: whoever stops waits for it. */
  giveUpSoon(): void {
    setTimeout(() => this.givenUp.abort(), lastWordMs).unref();
  }

  async close(): Promise<void> {
    this.givenUp.abort();
    await this.writer.close();
  }
}

/** Settles as the work does, or fails when it is no longer waited for. */
const unlessAborted = (signal: AbortSignal, work: Promise<void>): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });

/** The headers that are texts; a poison record may have any. */
function textHeaders({ headers = {} }: Arrival): Record<string, string> {
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
