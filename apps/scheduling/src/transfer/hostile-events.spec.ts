import { describe, expect, it } from '@jest/globals';
import { entryBytesMax, Problem, zonesBytesMax } from '@postroom/contracts';
import { filled, growthOf } from '@postroom/testing';
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
