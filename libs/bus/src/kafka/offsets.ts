/**
 * The records of one partition that were taken and are not yet committed. What may be committed is
 * the oldest offset that is not done: after a crash everything from there on comes again, so that a
 * record is handled twice at worst and never lost.
 */
export class PartitionOffsets {
  private readonly underWay = new Set<number>();
  /** Done, but not yet committed. */
  private readonly done = new Set<number>();
  private next = 0;

  /** How far what is taken is ahead of what may be committed. */
  get distance(): number {
    const [oldest = this.next] = this.underWay;
    return this.next - oldest;
  }

  /** False for a redelivery: the record is under way, or done and about to be committed. */
  take(offset: number): boolean {
    if (this.underWay.has(offset) || this.done.has(offset)) return false;
    this.underWay.add(offset);
    this.next = offset + 1;
    return true;
  }

  finish(offset: number): void {
    if (this.underWay.delete(offset)) this.done.add(offset);
  }

  /** Kafka commits the offset of the next record to read; undefined when there is nothing new. */
  committable(): number | undefined {
    const offset = this.underWay.size > 0 ? Math.min(...this.underWay) : this.next;
    return this.doneBelow(offset).length > 0 ? offset : undefined;
  }

  wasCommitted(offset: number): void {
    for (const done of this.doneBelow(offset)) this.done.delete(done);
  }

  private doneBelow(offset: number): number[] {
    return [...this.done].filter((done) => done < offset);
  }
}

/** A place in a topic. */
export interface Position {
  readonly topic: string;
  readonly partition: number;
  /** Of the next record to read. */
  readonly offset: number;
}

/** The offsets of every partition that a consumer has been assigned. */
export class Offsets {
  private readonly partitions = new Map<string, [string, number, PartitionOffsets]>();

  of(topic: string, partition: number): PartitionOffsets {
    const name = `${topic}/${partition}`;
    const known = this.partitions.get(name);
    if (known) return known[2];
    const offsets = new PartitionOffsets();
    this.partitions.set(name, [topic, partition, offsets]);
    return offsets;
  }

  /**
   * Forgets the partitions that are another's now: a commit for them would undo that one's. What is
   * under way there ends all the same, and the other handles it once more.
   */
  keep(assigned: Readonly<Record<string, readonly number[]>>): void {
    for (const [name, [topic, partition]] of this.partitions) {
      if (!assigned[topic]?.includes(partition)) this.partitions.delete(name);
    }
  }

  committable(): Position[] {
    return [...this.partitions.values()].flatMap(([topic, partition, offsets]) => {
      const offset = offsets.committable();
      return offset === undefined ? [] : [{ topic, partition, offset }];
    });
  }

  wereCommitted(positions: readonly Position[]): void {
    for (const { topic, partition, offset } of positions) {
      this.partitions.get(`${topic}/${partition}`)?.[2].wasCommitted(offset);
    }
  }
}
