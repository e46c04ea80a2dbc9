import { describe, expect, it } from '@jest/globals';
import { momentOf, wallClock, type RecurrenceRule } from '@postroom/contracts';
import { lastStartOf, nextStartAfter, startsBetween, type Series } from './expand.js';

const paris = 'Europe/Paris';
const at = (text: string): number => Date.parse(text);
const rule = (given: Partial<RecurrenceRule>): RecurrenceRule => ({
  ...{ freq: 'daily', interval: 1, byDay: [], byMonthDay: [], byMonth: [], bySetPos: [] },
  ...{ count: null, untilMs: null, timeZone: paris, exceptMs: [], addedMs: [], weekStart: 'MO' },
  ...given,
});
const series = (start: string, given: Partial<RecurrenceRule>): Series => ({
  rule: rule(given),
  startMs: at(start),
});
const shown = (given: Series, from: string, to: string, max = 100): string[] =>
  startsBetween(given, { fromMs: at(from), toMs: at(to), max }).map((ms) =>
    new Date(ms).toISOString(),
  );

describe('the clocks of a zone', () => {
  it('show the time of a moment, and the moment of a time', () => {
    const summer = at('2026-07-01T07:00:00.250Z');
    expect(wallClock(summer, paris)).toBe(at('2026-07-01T09:00:00.250Z'));
    expect(momentOf(at('2026-07-01T09:00:00.250Z'), paris)).toBe(summer);
  });

  it('read a time that exists twice as the first, and one that does not exist by the offset before', () => {
    expect(momentOf(at('2026-10-25T02:30:00Z'), paris)).toBe(at('2026-10-25T00:30:00Z'));
    expect(momentOf(at('2026-03-29T02:30:00Z'), paris)).toBe(at('2026-03-29T01:30:00Z'));
  });
});

describe('the clocks of a zone with a history', () => {
  it.each([
    // Samoa went over the date line: no 30 December 2011.
    ['Pacific/Apia', '2011-12-29T12:00:00Z', '2011-12-29T22:00:00.000Z'],
    ['Pacific/Apia', '2011-12-31T12:00:00Z', '2011-12-30T22:00:00.000Z'],
    // France had no summer time until 1976, and British summers in winter ended in 1971.
    ['Europe/Paris', '1975-07-01T12:00:00Z', '1975-07-01T11:00:00.000Z'],
    ['Europe/London', '1971-01-15T12:00:00Z', '1971-01-15T11:00:00.000Z'],
    // Turkey stayed on summer time in 2016.
    ['Europe/Istanbul', '2015-12-01T12:00:00Z', '2015-12-01T10:00:00.000Z'],
    ['Europe/Istanbul', '2016-12-01T12:00:00Z', '2016-12-01T09:00:00.000Z'],
  ])('are those of their time: %s, %s', (zone, wall, moment) => {
    expect(new Date(momentOf(at(wall), zone)).toISOString()).toBe(moment);
    expect(wallClock(at(moment), zone)).toBe(at(wall));
  });
});

describe('a series', () => {
  it('stays at its time over a change of clocks', () => {
    const daily = series('2026-03-27T08:00:00Z', {});
    expect(shown(daily, '2026-03-28T00:00:00Z', '2026-03-30T23:00:00Z')).toEqual([
      '2026-03-28T08:00:00.000Z',
      '2026-03-29T07:00:00.000Z',
      '2026-03-30T07:00:00.000Z',
    ]);
  });

  it('has its exceptions left out, and ends with its count or its last moment', () => {
    const startMs = at('2026-01-05T09:00:00Z');
    const counted = series('2026-01-05T09:00:00Z', { count: 3, exceptMs: [startMs + 86_400_000] });
    expect(shown(counted, '2026-01-01T00:00:00Z', '2026-12-31T00:00:00Z')).toEqual([
      '2026-01-05T09:00:00.000Z',
      '2026-01-07T09:00:00.000Z',
    ]);
    expect(lastStartOf(counted)).toBe(at('2026-01-07T09:00:00Z'));
    const until = series('2026-01-05T09:00:00Z', { untilMs: at('2026-01-06T09:00:00Z') });
    expect(lastStartOf(until)).toBe(at('2026-01-06T09:00:00Z'));
    expect(lastStartOf(series('2026-01-05T09:00:00Z', {}))).toBeNull();
  });

  it('keeps its occurrences where a counted rule matches more seldom than the library looks', () => {
    const mondays = series('2026-01-05T09:00:00Z', { byDay: ['MO'], count: 2_000 });
    const last = lastStartOf(mondays);
    expect(last).toBeGreaterThan(at('2050-01-01T00:00:00Z'));
    const window = { fromMs: at('2040-01-01T00:00:00Z'), toMs: at('2040-01-31T00:00:00Z') };
    expect(startsBetween(mondays, { ...window, max: 100 }, last)).toHaveLength(5);
  });

  it.each<[string, Partial<RecurrenceRule>, string]>([
    ['Mondays of every day', { byDay: ['MO'] }, '2064-04-28T07:00:00.000Z'],
    ['fifths of every day', { byMonthDay: [5] }, '2192-08-05T07:00:00.000Z'],
    ['days of May', { byMonth: [5] }, '2090-05-15T07:00:00.000Z'],
    ['Mondays in May', { freq: 'weekly', byMonth: [5] }, '2477-05-24T07:00:00.000Z'],
    ['days of the start', { freq: 'monthly' }, '2192-08-05T07:00:00.000Z'],
  ])('has all two thousand of %s', (_what, given, last) => {
    const found = lastStartOf(series('2026-01-05T08:00:00Z', { ...given, count: 2_000 }));
    expect(new Date(found ?? 0).toISOString()).toBe(last);
  });

  it('goes on with the next one after a moment, if there is one', () => {
    const fridays = series('2026-01-30T09:00:00Z', { freq: 'monthly', byDay: ['-1FR'] });
    expect(nextStartAfter(fridays, fridays.startMs)).toBe(at('2026-02-27T09:00:00Z'));
    const two = series('2026-01-30T09:00:00Z', { freq: 'weekly', count: 2 });
    expect(nextStartAfter(two, at('2026-02-06T09:00:00Z'))).toBeNull();
    expect(nextStartAfter(two, two.startMs)).toBe(at('2026-02-06T09:00:00Z'));
  });

  it.each<[string, Partial<RecurrenceRule>]>([
    ['yearly, in the month of its start', { freq: 'yearly' }],
    ['yearly, in months that are named', { freq: 'yearly', byMonth: [1, 7], byDay: ['2FR'] }],
    ['daily in a month', { byMonth: [12] }],
    ['weekly, from a start in no month of the rule', { freq: 'weekly', byMonth: [2] }],
  ])('has in the windows of three years what it has in all of them: %s', (_what, given) => {
    // At the turn of a month and a year, which it is by the zone's clocks alone.
    const one = series('2025-12-31T13:30:00Z', { timeZone: 'Pacific/Auckland', ...given });
    const [fromMs, toMs] = [at('2025-12-01T00:00:00Z'), at('2028-12-31T23:59:59Z')];
    const whole = startsBetween(one, { fromMs, toMs, max: 5_000 });
    expect(whole.length).toBeGreaterThan(2);
    for (const days of [1, 9, 31, 100]) {
      const found: number[] = [];
      for (let from = fromMs; from <= toMs; from += days * 86_400_000) {
        const window = { fromMs: from, toMs: Math.min(from + days * 86_400_000 - 1, toMs) };
        found.push(...startsBetween(one, { ...window, max: 5_000 }));
      }
      expect(found).toEqual(whole);
    }
  });

  it.each([
    ['MO', ['01', '11', '15', '25', '29']],
    ['SU', ['01', '04', '15', '18', '29']],
    ['WE', ['01', '11', '15', '25', '29']],
  ] as const)('counts weeks from %s on', (weekStart, expected) => {
    // Sunday, 1 March 2026.
    const one = series('2026-03-01T14:00:00Z', {
      ...{ freq: 'weekly', interval: 2, byDay: ['SU', 'WE'], weekStart },
      timeZone: 'America/New_York',
    });
    const days = shown(one, '2026-03-01T00:00:00Z', '2026-03-31T00:00:00Z');
    expect(days.map((day) => day.slice(8, 10))).toEqual(expected);
  });

  it('has what is added to it, unless that is excepted', () => {
    const added = ['2026-01-05T12:00:00Z', '2026-01-06T09:00:00Z', '2026-03-01T09:00:00Z'].map(at);
    const one = series('2026-01-05T09:00:00Z', {
      ...{ count: 2, addedMs: added, exceptMs: added.slice(0, 1) },
    });
    expect(shown(one, '2026-01-01T00:00:00Z', '2026-12-31T00:00:00Z')).toEqual([
      '2026-01-05T09:00:00.000Z',
      '2026-01-06T09:00:00.000Z',
      '2026-03-01T09:00:00.000Z',
    ]);
    expect(nextStartAfter(one, at('2026-01-06T09:00:00Z'))).toBe(added[2]);
  });

  it('skips months that lack its day', () => {
    const last = series('2026-01-31T09:00:00Z', { freq: 'monthly' });
    expect(nextStartAfter(last, last.startMs)).toBe(at('2026-03-31T08:00:00Z'));
  });

  it.each([
    ['never matches', rule({ freq: 'yearly', byMonth: [2], byMonthDay: [31] })],
    [
      'never matches, with a count',
      rule({ freq: 'yearly', byMonth: [2], byMonthDay: [31], count: 5 }),
    ],
    ['runs for a thousand years', rule({ freq: 'yearly', interval: 1000 })],
    ['has two thousand occurrences', rule({ count: 2_000 })],
    ['has two thousand occurrences of a month', rule({ freq: 'monthly', count: 2_000 })],
    ['has two thousand occurrences of a year', rule({ freq: 'yearly', count: 2_000 })],
  ])('costs little when it %s', (_what, given) => {
    const before = process.cpuUsage();
    const one = { rule: given, startMs: at('2026-01-05T09:00:00Z') };
    startsBetween(one, {
      fromMs: at('2040-01-01T00:00:00Z'),
      toMs: at('2040-02-01T00:00:00Z'),
      max: 100,
    });
    nextStartAfter(one, at('2040-01-01T00:00:00Z'));
    lastStartOf(one);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(3_000);
  });
});
