import { momentOf } from '@postroom/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FileZones, parseComponent, timeIn } from '../icalendar/index.js';
import { writeZone } from './write-zone.js';

const hourMs = 3_600_000;
const rule = 'RRULE:FREQ=WEEKLY';
const zones = fc.constantFrom(
  ...['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca'],
  ...['America/Santiago', 'Asia/Tehran', 'America/Caracas', 'Pacific/Apia', 'UTC'],
);

/** When an event starts that names a zone by a name that the file alone explains. */
function startOf(zone: string, time: string, ...more: readonly string[]): string {
  const lines = ['BEGIN:VEVENT', `DTSTART;TZID=Here:${time}`, ...more, 'END:VEVENT', ''];
  const { event } = FileZones.in(zone).settle(parseComponent(lines.join('\r\n')));
  return new Date(timeIn(event, 'dtstart')?.ms ?? 0).toISOString();
}

describe('a time zone that we write', () => {
  it('gives the moments of its clocks to whoever knows nothing else of it', () => {
    const hours = fc.integer({ min: Date.UTC(2025, 0) / hourMs, max: Date.UTC(2029, 0) / hourMs });
    fc.assert(
      fc.property(zones, hours, fc.constantFrom(0, 15, 30), (name, hour, minutes) => {
        const wallMs = hour * hourMs + minutes * 60_000;
        const zone = writeZone(name, Date.UTC(2024, 6)).replace(name, 'Here');
        const time = new Date(wallMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
        const moment = new Date(momentOf(wallMs, name)).toISOString();
        expect(startOf(zone, time)).toBe(moment);
        expect(startOf(zone, time, rule)).toBe(moment);
      }),
      { numRuns: 60 },
    );
  });
});
