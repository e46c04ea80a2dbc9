import { describe, expect, it } from '@jest/globals';
import { freeBuffer } from './attempt.js';

describe('freeBuffer', () => {
  it('leaves nothing of what is large, and what is small as it is', () => {
    const large = new Uint8Array(new ArrayBuffer(2_000_000), 0, 1_900_000);
    const small = new Uint8Array(1_000);
    freeBuffer(large);
    freeBuffer(small);
    expect([large.length, small.length]).toEqual([0, 1_000]);
  });
});
