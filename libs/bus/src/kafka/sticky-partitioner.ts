import { Partitioners, type PartitionerArgs } from 'kafkajs';

/**
 * Puts a record with a key where Kafka's own clients do, and all that have none in one send into one
 * partition, the next one at the next send (KIP-480): a record that shares its batch costs the brokers
 * and both ends much less than one with a batch to itself.
 */
export class StickyPartitioner {
  private readonly byKey = Partitioners.DefaultPartitioner();
  private turn = 0;

  /** What is placed from now on leaves in another send. */
  nextSend(): void {
    this.turn += 1;
  }

  /** @returns the id of a partition, of one that has a leader where any has */
  readonly partitionOf = (args: PartitionerArgs): number => {
    const { message, partitionMetadata } = args;
    if (message.key !== null && message.key !== undefined) return this.byKey(args);
    const led = partitionMetadata.filter(({ leader }) => leader >= 0);
    const open = led.length > 0 ? led : partitionMetadata;
    return open[this.turn % open.length]?.partitionId ?? 0;
  };
}
