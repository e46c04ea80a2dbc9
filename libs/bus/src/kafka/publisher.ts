import { type OutgoingGroup } from '@postroom/contracts';
import { outgoingTopic } from '../topics.js';
import type { Kafka } from 'kafkajs';
import type { EmitResult, EventRecord, RecordSignatures } from '../bus.js';
import { emitResult, encodeEvent, eventKey, groupOf } from '../event-record.js';
import { checkSize } from '../bus-record.js';
import { signedRecord } from './record.js';
import { TopicWriter, type OutgoingRecord } from './topic-writer.js';

/** Signs events and writes them to their topics, with a producer for each. */
export class Publisher {
  private readonly writers = new Map<OutgoingGroup, TopicWriter>();

  constructor(
    private readonly kafka: Kafka,
    private readonly prefix: string,
    private readonly signatures: RecordSignatures | null,
  ) {}

  async emit(events: readonly EventRecord[]): Promise<EmitResult> {
    const outgoing = events.map((event) => ({
      group: groupOf(event),
      record: this.recordOf(event),
    }));
    const writes = outgoing.map(({ group, record }) => this.writerOf(group).write(record));
    return emitResult(events, await Promise.allSettled(writes));
  }

  async close(): Promise<void> {
    await Promise.all([...this.writers.values()].map((writer) => writer.close()));
  }

  private recordOf(event: EventRecord): OutgoingRecord {
    const topic = outgoingTopic(groupOf(event), this.prefix);
    const record = { topic, key: eventKey(event), ...checkSize(encodeEvent(event)) };
    return signedRecord(record, this.signatures);
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
