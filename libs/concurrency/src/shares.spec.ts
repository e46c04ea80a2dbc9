import { describe, expect, it } from '@jest/globals';
import { Shares } from './shares.js';

describe('Shares', () => {
  it('count what each key and all have, until it is given back once', () => {
    const shares = new Shares();
    const first = shares.take(['a', 'b'], 5);
    const second = shares.take(['a']);
    expect([shares.of('a'), shares.of('b'), shares.of('c'), shares.all]).toEqual([6, 5, 0, 6]);
    first();
    first();
    expect([shares.of('a'), shares.of('b'), shares.all]).toEqual([1, 0, 1]);
    second();
    expect([shares.of('a'), shares.all]).toEqual([0, 0]);
  });
});
