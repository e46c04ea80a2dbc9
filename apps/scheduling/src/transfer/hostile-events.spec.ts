import { describe, expect, it } from '@jest/globals';
import { entryBytesMax, Problem, zonesBytesMax } from '@postroom/contracts';
import { cpuMsOf, filled, growthOf } from '@postroom/testing';
import { emptyEvent, withGiven } from '../events/index.js';
import { FileZones, Unreadable } from '../icalendar/index.js';
import { dated, eventOf, longs, numbered } from '../testing/long-events.js';
import { readEvent } from './read-event.js';

/** Refused input counts too. */
function tried(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof Unreadable) && !(error instanceof Problem)) throw error;
  }
}

describe('reading an event of a file', () => {
  it.each(Object.entries(longs))(
    'takes time that grows with it, and no more: %s',
    (_what, long) => {
      const run = (length: number): void =>
        tried(() => withGiven(emptyEvent, readEvent(Buffer.from(eventOf(long, length))).given));
      const { ratio, ms } = growthOf(run, entryBytesMax);
      expect(ratio).toBeLessThan(9);
      expect(ms).toBeLessThan(1_000);
    },
  );
});

describe('what a file defines of time zones', () => {
  const zone = (name: string, ...lines: string[]): string =>
    ['BEGIN:VTIMEZONE', `TZID:${name}`, ...lines, 'END:VTIMEZONE', ''].join('\r\n');
  const standard = (...lines: string[]): string =>
    [
      ...['BEGIN:STANDARD', 'DTSTART:19700101T000000', 'TZOFFSETFROM:+0100', 'TZOFFSETTO:+0100'],
      ...[...lines, 'END:STANDARD'],
    ].join('\r\n');
  const event = eventOf(['', 'a'], 0).replaceAll('Europe/Paris', 'Own');

  it('looks at few clocks, however many zones no place has, in series of however many years', () => {
    const offset = (i: number): string => `+${String(i % 14).padStart(2, '0')}${(i % 50) + 7}`;
    const own = (i: number): string =>
      zone(`Own${i}`, standard().replaceAll('+0100', offset(i).padEnd(5, '7')));
    const zones = FileZones.in(Array.from({ length: 100 }, (_, i) => own(i)).join(''));
    const ms = cpuMsOf(() => {
      for (let i = 0; i < 100; i++) {
        const times = [`DTSTART;TZID=Own${i}:${1970 + (i % 60)}0301T090000`, 'DURATION:PT1H'];
        const lines = ['BEGIN:VEVENT', `UID:${i}`, ...times, 'RRULE:FREQ=YEARLY', 'END:VEVENT', ''];
        tried(() => readEvent(Buffer.from(lines.join('\r\n')), zones));
      }
    });
    expect(ms).toBeLessThan(6_000);
  });

  it.each<[string, (length: number) => string]>([
    [
      'zones',
      (length) => filled((i) => zone(numbered(i), standard()), length) + zone('Own', standard()),
    ],
    ['observances', (length) => zone('Own', filled(`${standard()}\r\n`, length) + standard())],
    [
      'further days',
      (length) =>
        zone('Own', standard(filled((i) => `RDATE:${dated(i)}T000000\r\n`, length) + 'X:a')),
    ],
    [
      'rules',
      (length) =>
        zone(
          'Own',
          filled(
            (i) => `${standard(`RRULE:FREQ=YEARLY;BYMONTH=${(i % 12) + 1};BYDAY=1SU`)}\r\n`,
            length,
          ) + standard(),
        ),
    ],
  ])('takes time that grows with its length: %s', (_what, textOf) => {
    const run = (length: number): void =>
      tried(() => readEvent(Buffer.from(event), FileZones.in(textOf(length))));
    const { ratio, ms } = growthOf(run, zonesBytesMax);
    expect(ratio).toBeLessThan(9);
    expect(ms).toBeLessThan(1_000);
  });
});
