import { outgoingTopic, type OutgoingGroup } from '@postroom/contracts';
import type { Kafka } from 'kafkajs';
import type { EmitResult, EventRecord } from '../bus.js';
import { emitResult } from '../emit-result.js';
import { encodeEvent, eventKey, groupOf } from '../event-record.js';
import { checkSize } from '../record-size.js';
import { TopicWriter } from './topic-writer.js';

/** Writes events to their topics, with a producer for each. */
export class Publisher {
  private readonly writers = new Map<OutgoingGroup, TopicWriter>();

  constructor(
    private readonly kafka: Kafka,
    private readonly prefix: string,
  ) {}

  async emit(events: readonly EventRecord[]): Promise<EmitResult> {
    const outgoing = events.map((event) => ({
      group: groupOf(event),
      record: { key: eventKey(event), ...checkSize(encodeEvent(event)) },
    }));
    const writes = outgoing.map(({ group, record }) => this.writerOf(group).write(record));
    return emitResult(events, await Promise.allSettled(writes));
  }

  async close(): Promise<void> {
    await Promise.all([...this.writers.values()].map((writer) => writer.close()));
  }

  private writerOf(group: OutgoingGroup): TopicWriter {
    const known = this.writers.get(group);
    if (known) return known;
    const topic = outgoingTopic(group, this.prefix);
    const writer = new TopicWriter({ kafka: this.kafka, topic, ordered: true });
    this.writers.set(group, writer);
    return writer;
  }
}
