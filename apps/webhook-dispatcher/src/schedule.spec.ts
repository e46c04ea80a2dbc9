import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { retryAfterMs, waitBefore } from './schedule.js';

const delays = [0, 5_000, 300_000, 1_800_000];

describe('the wait before an attempt', () => {
  it('is the schedule’s, a fifth longer or shorter', () => {
    expect([1, 2, 3, 4].map((attempt) => waitBefore(attempt, delays, 0, 0.5))).toEqual(delays);
    expect(waitBefore(2, delays, 0, 0)).toBe(4_000);
    expect(waitBefore(2, delays, 0, 1)).toBe(6_000);
  });

  it('is never out of those bounds, nor over an hour for a receiver’s wish', () => {
    const attempts = fc.record({
      attempt: fc.integer({ min: 1, max: 4 }),
      asked: fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      chance: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(attempts, ({ attempt, asked, chance }) => {
        const waitMs = waitBefore(attempt, delays, asked, chance);
        const delayMs = delays[attempt - 1] ?? 0;
        const wishMs = Math.min(asked, 3_600_000);
        expect(waitMs).toBeGreaterThanOrEqual(Math.max(wishMs, 0.8 * delayMs));
        expect(waitMs).toBeLessThanOrEqual(Math.max(wishMs, 1.2 * delayMs));
      }),
    );
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    ['0', 0],
    ['120', 120_000],
    ['99999999999', 3_600_000],
    ['999999999999999999999999', 0],
    ['-5', 0],
    ['1.5', 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60_000],
    ['Thu, 01 Jan 2099 00:01:00 GMT', 3_600_000],
    ['Thu, 01 Jan 1970 00:01:00 GMT', 0],
    ['soon', 0],
    ['', 0],
    [undefined, 0],
  ])('%s is %d milliseconds', (header, ms) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });
});
