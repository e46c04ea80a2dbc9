import { describe, expect, it } from '@jest/globals';
import { freeTimes, joined, workingTimes } from './free-times.js';

const at = (text: string): number => Date.parse(text);
const hourMs = 3_600_000;
const span = (startMs: number, endMs: number) => ({ startMs, endMs });

describe('busy times', () => {
  it('are in order, joined where they touch, and cut to the window', () => {
    const times = [span(50, 70), span(0, 20), span(10, 30), span(30, 40), span(90, 120)];
    expect(joined(times, 5, 100)).toEqual([span(5, 40), span(50, 70), span(90, 100)]);
  });
});

describe('free times', () => {
  it('are what working hours leave, as far as that is long enough', () => {
    const working = [span(0, 100), span(200, 300)];
    const busy = [span(10, 30), span(35, 60), span(90, 210)];
    expect(freeTimes(working, busy, 10)).toEqual([span(0, 10), span(60, 90), span(210, 300)]);
    expect(freeTimes(working, busy, 40)).toEqual([span(210, 300)]);
    expect(freeTimes([span(0, 100)], [span(0, 100)], 1)).toEqual([]);
  });
});

describe('working hours', () => {
  it('are by the clocks of the zone, on the days that are named', () => {
    const hours = [{ day: 'SU', from: '09:00', to: '24:00' }] as const;
    // The clocks change on Sunday, 29 March 2026.
    const window = { from: at('2026-03-28T00:00:00Z'), to: at('2026-03-31T00:00:00Z') };
    const [sunday, ...others] = workingTimes(hours, 'Europe/Paris', window);
    expect(others).toEqual([]);
    expect(sunday).toEqual(span(at('2026-03-29T07:00:00Z'), at('2026-03-29T22:00:00Z')));
    expect((sunday?.endMs ?? 0) - (sunday?.startMs ?? 0)).toBe(15 * hourMs);
  });
});
