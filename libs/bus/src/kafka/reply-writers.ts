import type { Kafka } from 'kafkajs';
import { TopicWriter, type OutgoingRecord } from './topic-writer.js';

/** After that the caller may be gone, and its topic with it. */
const idleMsMax = 60_000;

interface OpenWriter {
  readonly writer: TopicWriter;
  usedAtMs: number;
}

/** A writer for each reply topic that was written lately. */
export class ReplyWriters {
  private readonly open = new Map<string, OpenWriter>();
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly kafka: Kafka) {
    this.timer = setInterval(() => this.closeIdle(), idleMsMax / 2).unref();
  }

  /** Resolves when the reply is stored, rejects when it could not be stored before the deadline. */
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

  private closeIdle(): void {
    for (const [topic, { writer, usedAtMs }] of this.open) {
      if (Date.now() - usedAtMs < idleMsMax) continue;
      this.open.delete(topic);
      void writer.close().catch(() => undefined);
    }
  }
}
