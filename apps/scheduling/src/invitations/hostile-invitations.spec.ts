import { describe, expect, it } from '@jest/globals';
import { filled, growthOf } from '@postroom/testing';
import { Unreadable } from '../icalendar/index.js';
import { eventOf, longs } from '../testing/long-events.js';
import { readInvitation } from './read-invitation.js';

/** The limit of a calendar part of a message (libs/mime). */
const calendarBytesMax = 64 * 1024;

const event = eventOf(['', 'a'], 0);
const calendars: Readonly<Record<string, (length: number) => string>> = {
  ...Object.fromEntries(
    Object.entries(longs).map(([what, long]) => [what, (length: number) => eventOf(long, length)]),
  ),
  events: (length) => filled(event, length),
  'events in events': (length) => filled('BEGIN:VEVENT\r\n', length),
  'rules of a time zone': (length) =>
    `BEGIN:VTIMEZONE\r\n${filled('RRULE:FREQ=DAILY;BYMONTHDAY=-7\r\n', length)}END:VTIMEZONE\r\n${event}`,
};

describe('reading a calendar part of a message', () => {
  it.each(Object.entries(calendars))(
    'takes time that grows with it, and no more: %s',
    (_what, contentOf) => {
      const run = (length: number): void => {
        const lines = [
          'BEGIN:VCALENDAR',
          'METHOD:REQUEST',
          `${contentOf(length)}END:VCALENDAR`,
          '',
        ];
        try {
          readInvitation(lines.join('\r\n'));
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error;
        }
      };
      const { ratio, ms } = growthOf(run, calendarBytesMax);
      expect(ratio).toBeLessThan(9);
      expect(ms).toBeLessThan(1_000);
    },
  );
});
