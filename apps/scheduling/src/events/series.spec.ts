import { describe, expect, it } from '@jest/globals';
import { eventLimits, Problem, type Attendee } from '@postroom/contracts';
import { answerTo } from '../recurrence/questions.js';
import { emptyEvent, withGiven } from './event-record.js';
import type { SpannedEvent } from './occurrences.js';
import { requireOccurrence, withOverride } from './series.js';

const dayMs = 86_400_000;
const startMs = Date.parse('2026-03-27T08:00:00Z');
const people = Array.from({ length: eventLimits.attendees }, (_, i): Attendee => ({
  email: `p${i}@x.test`,
  name: null,
  role: 'required',
  status: 'accepted',
}));

/** A series of which the first days have attendees of their own. */
const seriesWith = (days: number): SpannedEvent => ({
  ...emptyEvent,
  ...{ id: 'evt', calendarId: 'cal', uid: 'x', startMs, endMs: startMs + 1, version: 1 },
  ...{ createdBy: { type: 'member', id: 'mbr' }, createdAt: new Date(0), updatedAt: new Date(0) },
  ...{ sequence: 1, lastStartMs: null },
  recurrence: {
    ...{ freq: 'daily', interval: 1, byDay: [], byMonthDay: [], byMonth: [], bySetPos: [] },
    ...{ count: null, untilMs: null, timeZone: 'UTC', exceptMs: [], weekStart: 'MO', addedMs: [] },
  },
  overrides: Array.from({ length: days }, (_, i) => ({
    ...{ occurrenceStartMs: startMs + i * dayMs, attendees: people },
  })),
});

describe('a changed occurrence', () => {
  const days = eventLimits.overrideAttendees / people.length;
  const change = (before: number, day: number) => {
    const at = startMs + day * dayMs;
    return withOverride(requireOccurrence(seriesWith(before), at, { answerTo }), at, {
      attendees: people,
    });
  };

  it('has attendees of its own, of all changed ones together as many as a series bears', () => {
    expect(change(days - 1, days).overrides).toHaveLength(days);
    expect(change(days, 0).overrides).toHaveLength(days);
    expect(() => change(days, days)).toThrow(Problem);
  });

  const day = startMs + 999 * dayMs;
  const withDescriptions = (changed: number, length: number) => ({
    ...seriesWith(0),
    overrides: Array.from({ length: changed }, (_, i) => ({
      ...{ occurrenceStartMs: startMs + i * dayMs, description: 'x'.repeat(length) },
    })),
  });
  const renamed = (series: SpannedEvent) =>
    withOverride(requireOccurrence(series, day, { answerTo }), day, { title: 'x' });
  const tooLarge = { violations: [expect.objectContaining({ field: 'overrides' })] };

  it('is refused where an event would have more than half a mebibyte', () => {
    expect(renamed(withDescriptions(50, 10_000)).overrides).toHaveLength(51);
    const change = () => renamed(withDescriptions(53, 10_000));
    expect(change).toThrow(expect.objectContaining(tooLarge));
    const given = { description: 'x'.repeat(10_000) };
    expect(() => withGiven(withDescriptions(52, 10_000), given)).toThrow(
      expect.objectContaining(tooLarge),
    );
  });

  it('is refused where a file would have two, since it repeats what the series says', () => {
    const crowd = (changed: number) => ({ ...withDescriptions(changed, 10), attendees: people });
    expect(renamed(crowd(40)).overrides).toHaveLength(41);
    expect(() => renamed(crowd(80))).toThrow(expect.objectContaining(tooLarge));
  });
});
