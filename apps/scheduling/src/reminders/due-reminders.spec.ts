import { describe, expect, it } from '@jest/globals';
import type { EventOverride, RecurrenceRule } from '@postroom/contracts';
import { repetitions } from '@postroom/testing/repetitions';
import fc from 'fast-check';
import { occurrencesOf, type SpannedEvent } from '../events/index.js';
import { lastStartOf } from '../recurrence/index.js';
import { lookAt, remindableEvent, spanMs, type Due } from './due-reminders.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const startMs = Date.parse('2026-03-20T08:00:00Z');

const event = (given: Partial<SpannedEvent>): SpannedEvent => ({
  ...{ id: 'evt', calendarId: 'cal', uid: 'u', title: 't', description: '', location: '' },
  ...{ startMs, endMs: startMs + hourMs, timeZone: 'Europe/Paris', allDay: false },
  ...{ status: 'confirmed', busy: true, visibility: 'public', organizer: null },
  ...{ attendees: [], recurrence: null },
  ...{ overrides: [], reminders: [{ minutes: 10 }], conferenceLink: null, threadId: null },
  ...{ createdBy: { type: 'member', id: 'mbr' }, createdAt: new Date(0), updatedAt: new Date(0) },
  ...{ version: 1, sequence: 1 },
  lastStartMs: given.recurrence ? lastStartOf({ rule: given.recurrence, startMs }) : null,
  ...given,
});
const rule = (given: Partial<RecurrenceRule>): RecurrenceRule => ({
  ...{ freq: 'daily', interval: 1, byDay: [], byMonthDay: [], byMonth: [], bySetPos: [] },
  ...{ count: null, untilMs: null, timeZone: 'Europe/Paris', exceptMs: [] },
  ...{ weekStart: 'MO', addedMs: [] },
  ...given,
});

/** Looks whenever there is something to look at, or late, as a service does that was down meanwhile. */
function looksOver(
  subject: SpannedEvent,
  fromMs: number,
  untilMs: number,
  downMs: readonly number[] = [],
) {
  const due: Due[] = [];
  let [toldMs, looks] = [fromMs, 0];
  for (let lookMs: number | null = fromMs; lookMs !== null && lookMs <= untilMs; looks++) {
    const nowMs: number = Math.min(untilMs, lookMs + (downMs[looks] ?? 0));
    const look = lookAt(remindableEvent(subject), toldMs, nowMs);
    due.push(...look.due);
    ({ toldMs, lookMs } = look);
  }
  return { due, looks };
}
const shown = (due: readonly Due[]): string[] =>
  due
    .map(({ occurrenceStartMs, dueMs, minutes }) => `${occurrenceStartMs} ${dueMs} ${minutes}`)
    .sort();

describe('reminders', () => {
  it('are due so many minutes before the start, whatever the order of their minutes', () => {
    const subject = event({ reminders: [{ minutes: 0 }, { minutes: 45 }, { minutes: 45 }] });
    const { due } = looksOver(subject, startMs - dayMs, startMs + dayMs);
    expect(due).toEqual([
      { occurrenceStartMs: startMs, dueMs: startMs - 45 * minuteMs, minutes: 45 },
      { occurrenceStartMs: startMs, dueMs: startMs, minutes: 0 },
    ]);
  });

  it('of something far away are looked at when they are due, and not before', () => {
    const inYears = { startMs: startMs + 3000 * dayMs, endMs: startMs + 3001 * dayMs };
    const { lookMs } = lookAt(remindableEvent(event(inYears)), startMs, startMs);
    expect(lookMs).toBe(inYears.startMs - 10 * minuteMs);
  });

  it('end with their series', () => {
    const ended = event({ recurrence: rule({ count: 3 }), lastStartMs: startMs + 2 * dayMs });
    const { due } = looksOver(ended, startMs - dayMs, startMs + 1000 * dayMs);
    expect(due).toHaveLength(3);
    expect(lookAt(remindableEvent(ended), startMs, startMs + 100 * dayMs).lookMs).not.toBeNull();
    const over = lookAt(remindableEvent(ended), startMs + 90 * dayMs, startMs + 100 * dayMs);
    expect(over).toMatchObject({ due: [], lookMs: null });
  });

  it('of a rule that never matches cost a look a month', () => {
    const never = rule({ freq: 'yearly', byMonth: [2], byMonthDay: [31] });
    const { due, looks } = looksOver(
      event({ recurrence: never }),
      startMs - dayMs,
      startMs + 320 * dayMs,
    );
    expect(due).toHaveLength(1);
    expect(looks).toBeLessThan(14);
  });

  it('of none, or of a cancelled event, are never due', () => {
    for (const given of [{ reminders: [] }, { status: 'cancelled' as const }]) {
      expect(looksOver(event(given), startMs - dayMs, startMs + dayMs).due).toEqual([]);
    }
  });

  it('are each found once, however often and late they are looked at', () => {
    const rules = fc.record({
      freq: fc.constantFrom('daily', 'weekly', 'monthly', 'yearly'),
      interval: fc.integer({ min: 1, max: 5 }),
    });
    const minutes = fc.array(fc.constantFrom(0, 5, 10, 1_440, 40_320, 527_040), {
      minLength: 1,
      maxLength: 4,
    });
    // Occurrences of the first days that are moved by hours or weeks, or do not take place.
    const moves = fc.dictionary(
      fc.integer({ min: 0, max: 9 }).map(String),
      fc.option(fc.integer({ min: -700, max: 700 })),
      { maxKeys: 4 },
    );
    const downs = fc.array(fc.integer({ min: 0, max: 100 * dayMs }), { maxLength: 30 });
    const property = fc.property(rules, minutes, moves, downs, (given, before, moved, downMs) => {
      const overrides = Object.entries(moved).map(([nth, hours]): EventOverride => {
        const occurrenceStartMs = startMs + Number(nth) * dayMs;
        if (hours === null) return { occurrenceStartMs, status: 'cancelled' };
        const movedMs = occurrenceStartMs + hours * hourMs;
        return { occurrenceStartMs, startMs: movedMs, endMs: movedMs + hourMs };
      });
      const subject = event({
        ...{ recurrence: rule(given), overrides: given.freq === 'daily' ? overrides : [] },
        reminders: before.map((one) => ({ minutes: one })),
      });
      const [fromMs, untilMs] = [startMs - 10 * dayMs, startMs + 150 * dayMs];
      const window = { fromMs, toMs: untilMs + 400 * dayMs, max: 100_000 };
      const all = occurrencesOf(subject, window).flatMap((one) =>
        [...new Set(before)].map((each) => ({
          ...{ occurrenceStartMs: one.occurrenceStartMs, minutes: each },
          dueMs: one.startMs - each * minuteMs,
        })),
      );
      const expected = all.filter(({ dueMs }) => dueMs > fromMs && dueMs <= untilMs);
      expect(shown(looksOver(subject, fromMs, untilMs, downMs).due)).toEqual(shown(expected));
    });
    fc.assert(property, { numRuns: repetitions(500, 20) });
  });

  it('are looked through a month at a time', () => {
    const daily = event({ recurrence: rule({}) });
    const look = lookAt(remindableEvent(daily), startMs, startMs + 1000 * dayMs);
    expect(look.toldMs).toBe(startMs + spanMs);
    expect(look.due).toHaveLength(32);
  });
});
