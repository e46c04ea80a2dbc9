import { describe, expect, it } from '@jest/globals';
import { repetitions } from '../testing/repetitions.js';
import fc from 'fast-check';
import { wallClock } from './wall-clock.js';

/** The wall clock that Intl shows in words, read again as if it were UTC. */
function shown(ms: number, timeZone: string): number {
  const text = new Intl.DateTimeFormat('sv-SE', {
    ...{ timeZone, dateStyle: 'short', timeStyle: 'medium' },
  }).format(ms);
  return Date.parse(`${text.replace(' ', 'T')}Z`);
}

describe('the clocks of a zone', () => {
  it('show what Intl says, at any moment in any zone', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const seconds = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) / 1000 });
    const property = fc.property(fc.constantFrom(...zones), seconds, (zone, second) => {
      expect(wallClock(second * 1000, zone)).toBe(shown(second * 1000, zone));
    });
    fc.assert(property, { numRuns: repetitions(20_000, 1_000) });
  });

  it('show it to the second beside a change', () => {
    const changeMs = Date.parse('2026-03-29T01:00:00Z');
    for (const ms of [changeMs - 1000, changeMs, changeMs + 1000])
      expect(wallClock(ms, 'Europe/Paris')).toBe(shown(ms, 'Europe/Paris'));
    expect(wallClock(changeMs - 1, 'Europe/Paris')).toBe(changeMs - 1 + 3_600_000);
  });
});
