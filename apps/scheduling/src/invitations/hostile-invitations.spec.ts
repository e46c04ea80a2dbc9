import { describe, expect, it } from '@jest/globals';
import { growthOf } from '@postroom/testing';
import { Unreadable } from '../icalendar/index.js';
import { eventOf, longs } from '../testing/long-events.js';
import { readInvitation } from './read-invitation.js';

/** Of a calendar part of a message (libs/mime, limits). */
const calendarBytesMax = 64 * 1024;

describe('reading a calendar part of a message', () => {
  it.each(Object.entries(longs))(
    'takes time that grows with it, and no more: %s',
    (_what, long) => {
      const run = (length: number): void => {
        const lines = [
          'BEGIN:VCALENDAR',
          'METHOD:REQUEST',
          `${eventOf(long, length)}END:VCALENDAR`,
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
