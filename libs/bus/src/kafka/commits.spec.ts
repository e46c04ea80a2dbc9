import { afterEach, describe, expect, it } from '@jest/globals';
import { keptLog } from '../testing/messages.js';
import { Commits, type CommittableBatch } from './commits.js';

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
      offsets.begin(offset);
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
    expect(commits.of(ledger.batch(0)).begin(5)).toBe(true);
  });
});
