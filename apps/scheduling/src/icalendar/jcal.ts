import { isTimeZone, momentOf } from '@postroom/contracts';
import { findIana } from 'windows-iana';
import ICAL from 'ical.js';

/** Why what a calendar says is no event that can be kept, or acted on. */
export class Unreadable extends Error {}

/** A property in jCal (RFC 7265): name, parameters, type, values. */
export type Property = readonly [string, Readonly<Record<string, unknown>>, string, ...unknown[]];
export type Component = readonly [string, readonly Property[], readonly Component[]];

/**
 * Parses one component of iCalendar.
 * @throws Unreadable
 */
export function parseComponent(text: string): Component {
  if (parametersIn(text) > parametersMax) throw new Unreadable('a line of too many parameters');
  try {
    const [name, properties, components] = ICAL.parse(text) as [unknown, unknown, unknown];
    // Several components are a list of them, and of none nothing is left.
    if (typeof name === 'string' && Array.isArray(properties) && Array.isArray(components))
      return [name, properties, components];
  } catch (error) {
    throw new Unreadable(error instanceof Error ? error.message : 'no iCalendar', { cause: error });
  }
  throw new Unreadable('no component, or several');
}

/** Parameters of one line: ical.js takes the square of their number. */
const parametersMax = 1000;

const [lineFeed, tab, space, quote, colon, semicolon] = [0x0a, 0x09, 0x20, 0x22, 0x3a, 0x3b];

/** The largest number of parameters on one (folded, RFC 5545 §3.1) line, counted in one pass. */
function parametersIn(text: string): number {
  let most = 0;
  let count = 0;
  let isQuoted = false;
  let isValue = false;
  for (let at = 0; at < text.length; at++) {
    const one = text.charCodeAt(at);
    const next = text.charCodeAt(at + 1);
    if (one === lineFeed && next !== space && next !== tab) {
      [count, isQuoted, isValue] = [0, false, false];
    } else if (isValue) continue;
    else if (one === quote) isQuoted = !isQuoted;
    else if (isQuoted) continue;
    else if (one === colon) isValue = true;
    else if (one === semicolon) most = Math.max(most, ++count);
  }
  return most;
}

export const allOf = ([, properties]: Component, name: string): Property[] =>
  properties.filter(([own]) => own === name);

export const oneOf = (component: Component, name: string): Property | undefined =>
  allOf(component, name)[0];

/** The first value of a property; empty for none. */
export function textIn(component: Component, name: string): string {
  const value = oneOf(component, name)?.[3];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

export const timesOf = ([, { tzid }, type, ...values]: Property): CalendarTime[] =>
  values.map((value) => timeOf(type, value, tzid));

/** @throws Unreadable */
export function timeIn(component: Component, name: string): CalendarTime | null {
  const property = oneOf(component, name);
  return property ? (timesOf(property)[0] ?? null) : null;
}

/** True if a component has a floating time, which is another moment for each reader (RFC 5545 §3.3.5). */
export const hasFloatingTime = ([, properties]: Component): boolean =>
  properties.some(
    ([, { tzid }, type, ...values]) =>
      type === 'date-time' &&
      tzid === undefined &&
      values.some((value) => !String(value).endsWith('Z')),
  );

/** A moment that a calendar names. */
export interface CalendarTime {
  readonly ms: number;
  readonly timeZone: string;
  readonly isDate: boolean;
}

/**
 * The moment of a value of jCal (RFC 7265 §3.6.5). A time of no zone is taken for UTC.
 * @param zone the zone that it is in, as the calendar names it
 * @throws Unreadable for a time that no event can have, or in an unknown zone
 */
function timeOf(type: string, value: unknown, zone: unknown): CalendarTime {
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

/** True if a zone is known by its name, whatever a file defines for it. */
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
