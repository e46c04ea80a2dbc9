import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { rruleText } from '@postroom/contracts';
import { pythonWith, whereThere } from '@postroom/testing';
import { repetitions } from '@postroom/testing/repetitions';
import fc from 'fast-check';
import { emptyEvent, type StoredEvent } from '../events/index.js';
import { caseOf, givenRules } from '../testing/generated-series.js';
import { writeEvent } from './write-event.js';
import { writeZone } from './write-zone.js';

const python = pythonWith(['icalendar==7.3.0', 'tzdata==2026.3']);
const program = fileURLToPath(new URL('../../python/read_calendar.py', import.meta.url));

function fileOf(all: readonly StoredEvent[]): string {
  const zones = new Set(all.map(({ timeZone }) => timeZone).filter((zone) => zone !== 'UTC'));
  const parts = [...zones].map((zone) => writeZone(zone, Date.UTC(2025, 0)));
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//x', ''].join('\r\n');
  return [head, ...parts, ...all.map(writeEvent), 'END:VCALENDAR\r\n'].join('');
}

function readByPython(file: string): Record<string, unknown>[] {
  const { stdout, stderr, status } = spawnSync('python3', [program], {
    env: { ...process.env, ...python.env, PYTHONTZPATH: '', PYTHONIOENCODING: 'utf-8' },
    input: file,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: 120_000,
  });
  if (status !== 0) throw new Error(stderr);
  const lines = stdout.trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const texts = fc.string({ unit: 'grapheme', maxLength: 100 }).map(plain);
/** Text as a title or name has it: of one line, and neither blank at its ends nor decomposed. */
function plain(text: string): string {
  return `x${text.replaceAll(/[\p{C}\p{Z}]/gu, ' ').replaceAll('"', '')}x`;
}

const people = fc.record({ name: fc.oneof(fc.constant(null), texts), at: fc.nat({ max: 999 }) });

const events = fc
  .record({
    title: texts,
    description: fc.array(texts, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
    location: texts,
    minutes: fc.integer({ min: 1, max: 3000 }),
    busy: fc.boolean(),
    attendees: fc.uniqueArray(people, { selector: ({ at }) => at, maxLength: 4 }),
    reminders: fc.uniqueArray(fc.nat({ max: 5000 }), { maxLength: 3 }),
    hasLink: fc.boolean(),
    series: givenRules,
  })
  .map(({ minutes, attendees, reminders, hasLink, series: given, ...said }): StoredEvent => {
    const found = caseOf(given);
    const startMs = found?.series.startMs ?? Date.UTC(2026, 2, 27, 8);
    const recurrence = found?.series.rule ?? null;
    return {
      ...emptyEvent,
      ...said,
      ...{ id: 'evt', calendarId: 'cal', uid: `${startMs}@x`, startMs, recurrence, version: 1 },
      endMs: startMs + minutes * 60_000,
      timeZone: recurrence?.timeZone ?? 'Europe/Paris',
      organizer: { email: 'boss@x.test', name: 'Ann; "B", C: D' },
      attendees: attendees.map(({ name, at }) => ({
        ...{ email: `p${at}@x.test`, name, role: 'optional', status: 'tentative' },
      })),
      reminders: reminders.map((one) => ({ minutes: one })),
      conferenceLink: hasLink ? 'https://x.test/?a=1,2;3&b=é' : null,
      createdBy: { type: 'member', id: 'mbr' },
      ...{ createdAt: new Date(startMs), updatedAt: new Date(startMs), sequence: 1 },
    };
  });

const sorted = (text: string): string => text.split(';').sort().join(';');

whereThere(python, describe)('a calendar file', () => {
  it('is read by icalendar without loss', () => {
    const seed = Date.now() % 2 ** 31;
    const all = fc.sample(events, { numRuns: repetitions(500, 60), seed });
    const [file, ...read] = readByPython(fileOf(all));
    expect(file).toEqual({ errors: [] });
    expect(read).toHaveLength(all.length);
    for (const [i, event] of all.entries()) {
      const { recurrence, organizer } = event;
      const { rrule, zone, ...facts } = read[i] ?? {};
      expect({ seed, ...facts }).toEqual({
        ...{ seed, uid: event.uid, title: event.title, description: event.description },
        ...{ location: event.location, start: event.startMs, end: event.endMs },
        ...{ status: 'CONFIRMED', transp: event.busy ? 'OPAQUE' : 'TRANSPARENT' },
        ...{ exdates: recurrence?.exceptMs ?? [], occurrence: null },
        // RFC 5545 §3.2: a quoted parameter holds no quotation mark.
        organizer: { ...organizer, name: "Ann; 'B', C: D", role: null, status: null },
        attendees: event.attendees.map(({ email, name }) => ({
          ...{ email, name, role: 'OPT-PARTICIPANT', status: 'TENTATIVE' },
        })),
        conference: event.conferenceLink,
        alarms: event.reminders.map(({ minutes }) => minutes),
        errors: [],
      });
      expect(zone).toBe(event.timeZone === 'UTC' ? null : event.timeZone);
      expect(sorted(String(rrule))).toBe(sorted(recurrence ? rruleText(recurrence) : 'null'));
    }
  });
});
