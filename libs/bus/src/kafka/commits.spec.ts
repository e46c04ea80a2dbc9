import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Commits, type CommittableBatch, Offsets, PartitionOffsets } from './commits.js';
import { keptLog } from '../testing/messages.js';

const taken = (...offsets: number[]): PartitionOffsets => {
  const partition = new PartitionOffsets();
  for (const offset of offsets) partition.markInFlight(offset);
  return partition;
};

describe('the offset to commit', () => {
  it('is none before anything is done', () => {
    expect(taken(0, 1).committable()).toBeUndefined();
  });

  it('is that of the oldest record under way, whatever is done after it', () => {
    const partition = taken(5, 6, 7);
    partition.finish(7);
    expect(partition.committable()).toBeUndefined();
    partition.finish(5);
    expect(partition.committable()).toBe(6);
  });

  it('is past the last record when all is done, and then none', () => {
    const partition = taken(5, 6);
    partition.finish(6);
    partition.finish(5);
    expect(partition.committable()).toBe(7);
    partition.wasCommitted(7);
    expect(partition.committable()).toBeUndefined();
  });

  it('stands until it was committed', () => {
    const partition = taken(5);
    partition.finish(5);
    expect(partition.committable()).toBe(6);
    expect(partition.committable()).toBe(6);
  });

  it('never passes a record that is not done, in whatever order records end', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), fc.integer({ min: 1, max: 21 }), (ends, count) => {
        const partition = taken(...Array.from({ length: count }, (_, offset) => offset));
        const open = new Set(Array.from({ length: count }, (_, offset) => offset));
        let committed = 0;
        for (const offset of ends) {
          partition.finish(offset);
          open.delete(offset);
          const commit = partition.committable();
          const oldest = Math.min(count, ...open);
          expect(commit).toBe(oldest > committed ? oldest : undefined);
          if (commit === undefined) continue;
          partition.wasCommitted(commit);
          committed = commit;
        }
      }),
    );
  });
});

it('the distance to the oldest record under way is nothing when all is done', () => {
  const partition = taken(5, 6, 7);
  for (const done of [6, 7]) partition.finish(done);
  expect(partition.distance).toBe(3);
  partition.finish(5);
  expect(partition.distance).toBe(0);
});

describe('a record that is delivered again', () => {
  it('is not taken while it is under way, nor before its commit', () => {
    const partition = taken(5, 6);
    expect(partition.markInFlight(6)).toBe(false);
    partition.finish(6);
    expect(partition.markInFlight(6)).toBe(false);
  });

  it('is taken in a topic that was made anew', () => {
    const partition = taken(5);
    partition.finish(5);
    partition.wasCommitted(6);
    expect(partition.markInFlight(0)).toBe(true);
    partition.finish(0);
    expect(partition.committable()).toBe(1);
  });
});

describe('the offsets of a consumer', () => {
  it('are committed by partition', () => {
    const offsets = new Offsets();
    for (const partition of [0, 1]) offsets.of('t', partition).markInFlight(9);
    offsets.of('t', 1).finish(9);
    expect(offsets.committable()).toEqual([{ topic: 't', partition: 1, offset: 10 }]);
    offsets.wereCommitted(offsets.committable());
    expect(offsets.committable()).toEqual([]);
  });

  it('of a partition that went to another are not committed, though the record ends', () => {
    const offsets = new Offsets();
    const lost = offsets.of('t', 0);
    lost.markInFlight(9);
    offsets.keep({ t: [1] });
    lost.finish(9);
    expect(offsets.committable()).toEqual([]);
  });
});

/** A broker that takes commits, unless it does not. */
class Ledger {
  readonly taken: unknown[] = [];
  refuses = false;

  batch(partition: number): CommittableBatch {
    return {
      batch: { topic: 't', partition },
      commitOffsetsIfNecessary: async (offsets) => {
        if (this.refuses) throw new Error('rebalance in progress');
        this.taken.push(offsets);
      },
    };
  }
}

const committed = (...partitions: readonly { partition: number; offset: string }[]) => ({
  topics: [{ topic: 't', partitions }],
});

describe('the commits of a consumer', () => {
  const open: Commits[] = [];
  afterEach(() => Promise.all(open.splice(0).map((commits) => commits.stop())));

  /** A member that has two partitions and no clock. */
  const member = () => {
    const ledger = new Ledger();
    const commits = new Commits({ log: keptLog(), everyMs: 3_600_000 });
    open.push(commits);
    commits.joined('me', { t: [0, 1] });
    const does = (partition: number, offset: number): void => {
      const offsets = commits.of(ledger.batch(partition));
      offsets.markInFlight(offset);
      offsets.finish(offset);
    };
    return { ledger, commits, does };
  };

  it('say once what is done', async () => {
    const { ledger, commits, does } = member();
    does(0, 5);
    does(1, 7);
    await commits.commit();
    await commits.commit();
    expect(ledger.taken).toEqual([
      committed({ partition: 0, offset: '6' }, { partition: 1, offset: '8' }),
    ]);
  });

  it('say again what was not taken, and more', async () => {
    const { ledger, commits, does } = member();
    does(0, 5);
    ledger.refuses = true;
    await commits.commit();
    ledger.refuses = false;
    does(0, 6);
    await commits.commit();
    expect(ledger.taken).toEqual([committed({ partition: 0, offset: '7' })]);
  });

  it('keep what a member keeps through a rebalance', async () => {
    const { ledger, commits, does } = member();
    does(0, 5);
    does(1, 7);
    commits.joined('me', { t: [1] });
    await commits.commit();
    expect(ledger.taken).toEqual([committed({ partition: 1, offset: '8' })]);
  });

  it('say nothing by a consumer that crashed', async () => {
    const { ledger, commits, does } = member();
    does(0, 5);
    commits.crashed();
    await commits.commit();
    expect(ledger.taken).toEqual([]);
  });

  it('say nothing of before once it is a new member: another may have gone on from there', async () => {
    const { ledger, commits, does } = member();
    does(0, 5);
    commits.joined('me again', { t: [0, 1] });
    await commits.commit();
    expect(ledger.taken).toEqual([]);
    expect(commits.of(ledger.batch(0)).markInFlight(5)).toBe(true);
  });
});
