import { describe, expect, it } from '@jest/globals';
import { BackOff } from './replica.js';

describe('the wait before what has died is started again', () => {
  it('doubles from half a second to half a minute', () => {
    const backOff = new BackOff();
    const delays = Array.from({ length: 9 }, () => backOff.afterLife(1_000));
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('is short again after a minute of life', () => {
    const backOff = new BackOff();
    for (let i = 0; i < 9; i++) backOff.afterLife(0);
    expect([backOff.afterLife(60_000), backOff.afterLife(0)]).toEqual([500, 1_000]);
  });
});
