import { serialize } from 'node:v8';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { declareRates } from './declaration.js';
import { SlidingWindow, type Taken } from './sliding-window.js';

const minute = 60_000;

/** A window with so much room. */
function windowFor(perMinute: number, keysMax?: number): SlidingWindow {
  const { rate } = declareRates('spec', {
    rate: { bounds: 'requests of a spec', owner: 'caller', perMinute, full: null },
  });
  return new SlidingWindow(rate, undefined, keysMax);
}

/** The definition, word by word: filter all there ever was. */
class NaiveWindow {
  private readonly taken: { key: string; time: number }[] = [];

  record(key: string, requests: number, time: number): void {
    for (let request = 0; request < requests; request++) this.taken.push({ key, time });
  }

  take(key: string, limit: number, now: number): Taken {
    const inWindow = () =>
      this.taken
        .filter((one) => one.key === key && now - one.time < minute)
        .map((one) => one.time)
        .toSorted((one, other) => one - other);
    const allowed = inWindow().length < limit;
    if (allowed) this.taken.push({ key, time: now });
    const times = inWindow();
    const leaving = times[Math.max(0, times.length - limit)] ?? Number.NaN;
    return {
      allowed,
      remaining: Math.max(0, limit - times.length),
      resetSeconds: Math.ceil((leaving + minute - now) / 1000),
    };
  }
}

/** Coarse, so that requests often stand exactly one window apart. */
const waitedMs = fc.nat(5).map((steps) => steps * 3_000);

const calls = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), waitedMs }), {
  maxLength: 200,
});

describe('the sliding window', () => {
  it('decides as the definition does, for every sequence of requests', () => {
    fc.assert(
      fc.property(calls, fc.integer({ min: 1, max: 20 }), (sequence, limit) => {
        const [exact, naive] = [windowFor(limit), new NaiveWindow()];
        let now = 0;
        for (const { key, waitedMs } of sequence) {
          now += waitedMs;
          expect(exact.take(key, now)).toEqual(naive.take(key, limit, now));
        }
      }),
    );
  });

  it('decides as the definition does with requests that others let through earlier', () => {
    const told = fc.record({
      requests: fc.nat(8),
      agoMs: fc.nat(24).map((steps) => steps * 3_000),
    });
    const asked = fc.record({ key: fc.constantFrom('a', 'b'), waitedMs, told: fc.option(told) });
    fc.assert(
      fc.property(fc.array(asked), fc.integer({ min: 1, max: 20 }), (sequence, limit) => {
        const [exact, naive] = [windowFor(limit), new NaiveWindow()];
        let now = 0;
        for (const { key, waitedMs, told } of sequence) {
          now += waitedMs;
          if (told) {
            exact.record(key, told.requests, now - told.agoMs, now);
            naive.record(key, told.requests, now - told.agoMs);
          }
          expect(exact.take(key, now)).toEqual(naive.take(key, limit, now));
        }
      }),
    );
  });

  it('holds what others let through no longer than it counts', () => {
    const window = windowFor(100);
    for (let second = 0; second < 3_600; second += 1) {
      const nowMs = second * 1000;
      for (let key = 0; key < 100; key += 1) window.record(`key ${key}`, 10, nowMs);
    }
    // 3.6 million times would be 29 MB at least.
    expect(serialize(window).length).toBeLessThan(10_000_000);
  });

  it('never allows more than the limit in any stretch of one window', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(8_400), { maxLength: 300 }), (waits) => {
        const window = windowFor(7);
        const allowed: number[] = [];
        let now = 0;
        for (const waited of waits) {
          now += waited;
          if (window.take('a', now).allowed) allowed.push(now);
        }
        for (const start of allowed) {
          const inside = allowed.filter((time) => time >= start && time < start + minute);
          expect(inside.length).toBeLessThanOrEqual(7);
        }
      }),
    );
  });

  it('counts no refused request', () => {
    const window = windowFor(1);
    window.take('a', 0);
    for (let now = 1; now < minute; now += 1000) {
      expect(window.take('a', now).allowed).toBe(false);
    }
    expect(window.take('a', minute).allowed).toBe(true);
  });

  it('tells what remains and the whole seconds until the next place is free', () => {
    const window = windowFor(2);
    expect(window.take('a', 0)).toEqual({
      allowed: true,
      remaining: 1,
      resetSeconds: 60,
    });
    expect(window.take('a', 10_500)).toEqual({
      allowed: true,
      remaining: 0,
      resetSeconds: 50,
    });
    expect(window.take('a', 59_999)).toEqual({
      allowed: false,
      remaining: 0,
      resetSeconds: 1,
    });
  });

  it('tells no more seconds than the window has, on a clock with fractions', () => {
    const clock = fc.nat().map((number) => number / 1_003);
    fc.assert(
      fc.property(clock, (now) => {
        expect(windowFor(5).take('a', now).resetSeconds).toBe(60);
      }),
    );
  });

  it('allows a request that waited for the seconds it was told', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(86_400)), (waits) => {
        const window = windowFor(3);
        let now = 0;
        for (const eighths of waits) {
          now += eighths / 8;
          const { allowed, resetSeconds } = window.take('a', now);
          expect(resetSeconds).toBeGreaterThanOrEqual(1);
          expect(resetSeconds).toBeLessThanOrEqual(60);
          if (!allowed) {
            now += resetSeconds * 1000;
            expect(window.take('a', now).allowed).toBe(true);
          }
        }
      }),
    );
  });

  it('keeps the windows of different keys apart', () => {
    const window = windowFor(1);
    window.take('key_1 send', 0);
    expect(window.take('key_1 send', 1).allowed).toBe(false);
    expect(window.take('key_1 rest', 1).allowed).toBe(true);
  });

  it('forgets keys whose window has emptied', () => {
    const window = windowFor(5);
    for (let index = 0; index < 1000; index += 1) window.take(`key_${index}`, index);
    expect(window.size).toBe(1000);
    window.take('key_999', minute + 998);
    expect(window.size).toBe(1);
  });

  it('forgets idle keys beside one that is never idle', () => {
    const window = windowFor(5);
    for (const key of ['busy', 'idle_1', 'idle_2']) window.take(key, 0);
    window.take('busy', 30_000);
    window.take('busy', minute);
    expect(window.size).toBe(1);
  });

  it('never remembers more keys than it may', () => {
    const window = windowFor(5, 10);
    for (let index = 0; index < 100; index += 1) window.take(`key_${index}`, index);
    expect(window.size).toBe(10);
    expect(window.take('key_99', 100).remaining).toBe(3);
  });

  it('tells without counting how long a full window takes to have room', () => {
    const window = windowFor(2);
    const wait = (atMs: number) => window.waitSeconds('a', atMs);
    expect(wait(0)).toBe(0);
    window.record('a', 1, 0);
    expect([wait(0), wait(0)]).toEqual([0, 0]);
    window.record('a', 1, 24_000);
    expect([wait(24_000), wait(59_500), wait(60_000)]).toEqual([36, 1, 0]);
    window.record('a', 2, 60_000);
    expect(wait(60_000)).toBe(60);
    expect(window.waitSeconds('b', 180_000)).toBe(0);
    expect(window.size).toBe(0);
  });
});
