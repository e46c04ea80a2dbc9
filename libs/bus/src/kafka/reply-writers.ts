import type { Kafka } from 'kafkajs';
import { TopicWriter, type OutgoingRecord } from './topic-writer.js';

/** A caller that has been quiet for so long may be gone, and its topic with it. */
const quietMsMax = 60_000;

interface Open {
  readonly writer: TopicWriter;
  usedAtMs: number;
}

/** The reply topics of the callers that have asked lately, each written on its own. */
export class ReplyWriters {
  private readonly open = new Map<string, Open>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly kafka: Kafka) {
    this.timer = setInterval(() => this.closeQuiet(), quietMsMax / 2).unref();
  }

  /** Resolves when the reply is stored, rejects when it could not be; past the deadline neither matters. */
  write(topic: string, reply: OutgoingRecord, deadlineMs: number): Promise<void> {
    let open = this.open.get(topic);
    if (!open) {
      open = { writer: new TopicWriter({ kafka: this.kafka, topic }), usedAtMs: 0 };
      this.open.set(topic, open);
    }
    open.usedAtMs = Date.now();
    return open.writer.write(reply, deadlineMs);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all([...this.open.values()].map(({ writer }) => writer.close()));
    this.open.clear();
  }

  private closeQuiet(): void {
    for (const [topic, { writer, usedAtMs }] of this.open) {
      if (Date.now() - usedAtMs < quietMsMax) continue;
      this.open.delete(topic);
      void writer.close().catch(() => undefined);
    }
  }
}
