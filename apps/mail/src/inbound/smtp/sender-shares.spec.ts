import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SenderShares } from './sender-shares.js';

const [one, other] = ['192.0.2.1', '192.0.2.2'];

describe('the share of a core that the mail of a client may take', () => {
  let now = 0;
  const shares = (percent: number): SenderShares => new SenderShares(percent, () => now);

  it('is not touched by ordinary messages, however many', () => {
    const tenth = shares(10);
    for (let i = 0; i < 1_000; i += 1) tenth.charge(one, 10);
    expect(tenth.waitOf(one)).toBe(0);
  });

  it('makes who sent an expensive one wait until it is paid for, and nobody else', () => {
    const tenth = shares(10);
    tenth.charge(one, 40);
    expect(tenth.waitOf(one)).toBe(300);
    expect(tenth.waitOf(other)).toBe(0);
    now += 200;
    expect(tenth.waitOf(one)).toBe(100);
    tenth.charge(one, 20);
    expect(tenth.waitOf(one)).toBe(200);
    now += 200;
    expect(tenth.waitOf(one)).toBe(0);
  });

  it('has no bound at 100', () => {
    const whole = shares(100);
    whole.charge(one, 60_000);
    expect(whole.waitOf(one)).toBe(0);
  });

  it('is kept by whoever waits as told, up to the longest wait', () => {
    const cost = fc.double({ min: 0, max: 80, noNaN: true });
    fc.assert(
      fc.property(
        fc.array(cost, { minLength: 1 }),
        fc.integer({ min: 1, max: 99 }),
        (all, percent) => {
          const some = shares(percent);
          const began = now;
          let beyondMs = 0;
          for (const costMs of all) {
            some.charge(one, costMs);
            const waitMs = some.waitOf(one);
            expect(waitMs).toBeLessThan(750.001);
            beyondMs += Math.min(Math.max(0, costMs - 10), (750 * percent) / 100);
            now += waitMs;
          }
          expect(now - began).toBeCloseTo((beyondMs * 100) / percent, 3);
        },
      ),
    );
  });

  it('remembers only who still has to wait', () => {
    const tenth = shares(10);
    for (let i = 0; i < 5_000; i += 1) {
      tenth.charge(`2001:db8::${i.toString(16)}`, 20);
      now += 1;
    }
    expect(tenth.remembered).toBeLessThanOrEqual(1_000);
    expect(tenth.waitOf(`2001:db8::${(4_999).toString(16)}`)).toBe(99);
  });
});
