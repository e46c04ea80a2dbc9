import { isTimeZone, momentOf } from '@postroom/contracts';
import { findIana } from 'windows-iana';
import { Unreadable } from './unreadable.js';

/** A moment that a calendar names. */
export interface CalendarTime {
  readonly ms: number;
  readonly timeZone: string;
  readonly isDate: boolean;
}

/**
 * The moment of a value of jCal (RFC 7265 §3.6.5). A time of no zone is taken for UTC.
 * @param zone the zone that it is in, as the calendar names it
 * @throws Unreadable for what is no time that an event can have, or in a zone that nobody knows
 */
export function timeOf(type: string, value: unknown, zone: unknown): CalendarTime {
  const text = typeof value === 'string' ? value : '';
  if (type === 'date') return { ms: momentIn(`${text}T00:00:00Z`), timeZone: 'UTC', isDate: true };
  if (text.endsWith('Z')) return { ms: momentIn(text), timeZone: 'UTC', isDate: false };
  const timeZone = typeof zone === 'string' ? zoneOf(zone) : 'UTC';
  return { ms: momentOf(momentIn(`${text}Z`), timeZone), timeZone, isDate: false };
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

function momentIn(text: string): number {
  const ms = dateTime.test(text) ? Date.parse(text) : Number.NaN;
  // 31 February is no day, and `Date` takes it for one in March.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text.slice(0, 19)))
    throw new Unreadable('a time that is none');
  if (ms < 1) throw new Unreadable('a time before 1970');
  return ms;
}

function zoneOf(name: string): string {
  const found = knownZone(name);
  if (found === undefined) throw new Unreadable(`an unknown time zone: ${name.slice(0, 60)}`);
  return found;
}

/** IANA's name of a zone, of Windows’ name for it, or of one in a vendor's name space. */
function knownZone(name: string): string | undefined {
  const candidates = [name, findIana(name)[0] ?? '', name.split('/').slice(-2).join('/')];
  return candidates.find((one) => one !== '' && one.length <= 60 && isTimeZone(one));
}

/** Whether a zone is known by its name, whatever a file says of it. */
export const isKnownZone = (name: string): boolean => knownZone(name) !== undefined;

/**
 * The milliseconds of a duration (RFC 5545 §3.3.6), which is negative for an alarm.
 * @throws Unreadable
 */
export function durationMs(text: string): number {
  const found =
    /^([+-]?)P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/.exec(
      text,
    );
  if (!found) throw new Unreadable('a duration that is none');
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(2)
    .map((part: string | undefined) => Number(part ?? 0));
  const total = (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60_000 + seconds * 1000;
  return found[1] === '-' ? -total : total;
}
