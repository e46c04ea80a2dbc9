import { beforeEach, describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GroupCommit } from './group-commit.js';

describe('GroupCommit', () => {
  const groups: number[][] = [];
  const write = async (items: readonly number[]): Promise<void> => {
    groups.push([...items]);
    await nextTurn();
    if (items.includes(13)) throw new Error('thirteen');
  };

  beforeEach(() => void groups.splice(0));

  it('writes what comes during a write as one group, in order', async () => {
    const commits = new GroupCommit(write);
    await Promise.all([1, 2, 3].map((item) => commits.commit(item)));
    expect(groups).toEqual([[1], [2, 3]]);
    await commits.commit(4);
    expect(groups.at(-1)).toEqual([4]);
  });

  it('bounds a group', async () => {
    const commits = new GroupCommit(write, 2);
    await Promise.all([1, 2, 3, 4].map((item) => commits.commit(item)));
    expect(groups).toEqual([[1], [2, 3], [4]]);
  });

  it('lets only what cannot be written fail', async () => {
    const commits = new GroupCommit(write);
    const outcomes = await Promise.allSettled([1, 2, 13, 3].map((item) => commits.commit(item)));
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(groups).toEqual([[1], [2, 13, 3], [2], [13], [3]]);
  });
});
