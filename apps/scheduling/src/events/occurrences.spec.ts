import { describe, expect, it } from '@jest/globals';
import { readRecurrence } from '@postroom/contracts';
import { emptyEvent } from './event-record.js';
import { busyTimes, occurrencesOf, type SpannedEvent } from './occurrences.js';

const at = (text: string): number => Date.parse(text);
const eventOf = (given: Partial<SpannedEvent>): SpannedEvent => ({
  ...{ ...emptyEvent, id: 'evt', calendarId: 'cal', uid: 'u', version: 1, sequence: 1 },
  ...{ createdBy: { type: 'member', id: 'mbr' }, createdAt: new Date(0), updatedAt: new Date(0) },
  ...{ lastStartMs: null, ...given },
});
const weekly = (timeZone: string) =>
  readRecurrence({ rrule: 'FREQ=WEEKLY' }, 'recurrence', timeZone).rule ?? null;
const window = { fromMs: at('2026-03-01T00:00Z'), toMs: at('2026-04-30T00:00Z'), max: 100 };
const times = (event: SpannedEvent, timeZone: string) =>
  busyTimes({ events: [event], timeZone, ...window });

describe('occurrences of whole days', () => {
  it('last whole days of their zone when clocks change', () => {
    const day = { startMs: at('2026-03-21T23:00Z'), endMs: at('2026-03-22T23:00Z'), allDay: true };
    const series = eventOf({
      ...day,
      timeZone: 'Europe/Paris',
      recurrence: weekly('Europe/Paris'),
    });
    expect(occurrencesOf(series, window)[1]).toMatchObject({
      ...{ startMs: at('2026-03-28T23:00Z'), endMs: at('2026-03-29T22:00Z') },
    });
  });

  it('make busy on their days in the zone that is asked for', () => {
    const day = { startMs: at('2026-03-05T00:00Z'), endMs: at('2026-03-06T00:00Z'), allDay: true };
    expect(times(eventOf(day), 'America/New_York')).toEqual([
      { startMs: at('2026-03-05T05:00Z'), endMs: at('2026-03-06T05:00Z') },
    ]);
    const local = { startMs: at('2026-03-04T23:00Z'), endMs: at('2026-03-05T22:59:59Z') };
    expect(times(eventOf({ ...day, ...local, timeZone: 'Europe/Paris' }), 'Asia/Tokyo')).toEqual([
      { startMs: at('2026-03-04T15:00Z'), endMs: at('2026-03-05T15:00Z') },
    ]);
  });
});

describe('an event', () => {
  const hour = { startMs: at('2026-03-05T09:00Z'), endMs: at('2026-03-05T10:00Z') };
  it.each([
    ['is cancelled', { status: 'cancelled' as const }],
    ['leaves its people free', { busy: false }],
    ['takes no time', { endMs: hour.startMs + 1 }],
  ])('makes nobody busy that %s', (_what, given) => {
    expect(times(eventOf(hour), 'UTC')).toEqual([hour]);
    expect(times(eventOf({ ...hour, ...given }), 'UTC')).toEqual([]);
  });
});
