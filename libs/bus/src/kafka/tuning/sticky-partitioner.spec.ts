import { describe, expect, it } from '@jest/globals';
import { Partitioners, type PartitionMetadata, type PartitionerArgs } from 'kafkajs';
import { StickyPartitioner } from './sticky-partitioner.js';

const partition = (partitionId: number, leader = 1): PartitionMetadata => ({
  partitionId,
  leader,
  partitionErrorCode: 0,
  replicas: [1],
  isr: [1],
});

const three = [partition(0), partition(1), partition(2)];

const record = (key: string | null, partitionMetadata = three): PartitionerArgs => ({
  topic: 'spec',
  partitionMetadata,
  message: { key, value: '' },
});

describe('records without a key', () => {
  it('share a partition within a send', () => {
    const { partitionOf } = new StickyPartitioner();
    const placed = new Set(Array.from({ length: 50 }, () => partitionOf(record(null))));
    expect(placed.size).toBe(1);
  });

  it('go round all partitions, send by send', () => {
    const partitioner = new StickyPartitioner();
    const placed = [1, 2, 3, 4, 5, 6].map(() => {
      partitioner.nextSend();
      return partitioner.partitionOf(record(null));
    });
    expect(placed.toSorted()).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it('keep away from a partition without a leader, unless none has one', () => {
    const partitioner = new StickyPartitioner();
    const led = [partition(0, -1), partition(1), partition(2, -1)];
    const lost = [partition(0, -1), partition(1, -1)];
    for (let send = 0; send < 6; send += 1) {
      partitioner.nextSend();
      expect(partitioner.partitionOf(record(null, led))).toBe(1);
      expect([0, 1]).toContain(partitioner.partitionOf(record(null, lost)));
    }
  });
});

describe('a record with a key', () => {
  it('is where any client of Kafka puts it, in every send', () => {
    const partitioner = new StickyPartitioner();
    const usual = Partitioners.DefaultPartitioner();
    for (const key of ['', 'cnv_1', 'cnv_2', 'é', 'tenant/resource']) {
      partitioner.nextSend();
      expect(partitioner.partitionOf(record(key))).toBe(usual(record(key)));
    }
  });
});
