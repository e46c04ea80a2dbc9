import { momentOf } from '@postroom/contracts';
import ICAL from 'ical.js';
import { tidyLines } from './calendar-text.js';

/** Why what a calendar says is no event that can be kept, or acted on. */
export class Unreadable extends Error {}

/** A property in jCal (RFC 7265): name, parameters, type, values. */
export type Property = readonly [string, Readonly<Record<string, unknown>>, string, ...unknown[]];
export type Component = readonly [string, readonly Property[], readonly Component[]];

/** Properties without which an event is another one. */
const essential = /^(?:dtstart|recurrence-id|x-postroom-rule|uid|begin|end)$/i;

/**
 * Parses one component of iCalendar.
 * @param told receives the names of lines that cannot be read, and are left out
 * @throws Unreadable
 */
export function parseComponent(text: string, told: (name: string) => void = () => {}): Component {
  const lines = tidyLines(text);
  const whole = lines.join('\r\n');
  if (parametersIn(whole) > parametersMax) throw new Unreadable('a line of too many parameters');
  try {
    return parsed(whole);
  } catch {
    return parsed(lines.filter((line) => isReadable(line, told)).join('\r\n'));
  }
}

function parsed(text: string): Component {
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

/** False for a line that our reader takes no notice of, which is told. @throws Unreadable for an essential one */
function isReadable(line: string, told: (name: string) => void): boolean {
  const [name = ''] = line.split(/[;:]/, 1);
  if (/^(?:begin|end)$/i.test(name)) return true;
  try {
    parsed(`BEGIN:X\r\n${line}\r\nEND:X`);
    return true;
  } catch (error) {
    if (!(error instanceof Unreadable) || essential.test(name)) throw error;
    told(name.toUpperCase());
    return false;
  }
}

/** Parameters of one line: ical.js takes the square of their number. */
const parametersMax = 1000;

const [lineFeed, quote, colon, semicolon] = [0x0a, 0x22, 0x3a, 0x3b];

/** The largest number of parameters on one line, counted in one pass. */
function parametersIn(text: string): number {
  let most = 0;
  let count = 0;
  let isQuoted = false;
  let isValue = false;
  for (let at = 0; at < text.length; at++) {
    const one = text.charCodeAt(at);
    if (one === lineFeed) [count, isQuoted, isValue] = [0, false, false];
    else if (isValue) continue;
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
export const textIn = (component: Component, name: string): string =>
  textOf(oneOf(component, name)?.[3]);

export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Times of a property whose zones are settled. @throws Unreadable */
export const timesOf = ([, { tzid, floating }, type, ...values]: Property): CalendarTime[] =>
  values.map((value) => timeOf(type, value, tzid, floating === true));

/** @throws Unreadable */
export function timeIn(component: Component, name: string): CalendarTime | null {
  const property = oneOf(component, name);
  return property ? (timesOf(property)[0] ?? null) : null;
}

/** A moment that a calendar names. */
export interface CalendarTime {
  readonly ms: number;
  readonly timeZone: string;
  readonly isDate: boolean;
  /** The time that was written, as if it were UTC. */
  readonly wallMs: number;
  /** True if no zone was written. */
  readonly isFloating: boolean;
}

/**
 * The moment of a value of jCal (RFC 7265 §3.6.5).
 * @param zone IANA
 * @throws Unreadable for a time that no calendar has
 */
function timeOf(type: string, value: unknown, zone: unknown, isFloating: boolean): CalendarTime {
  const text = typeof value === 'string' ? value : '';
  const isDate = type === 'date';
  const wallMs = momentIn(isDate ? `${text}T00:00:00Z` : text.replace(/Z?$/, 'Z'));
  const isUtc = isDate || text.endsWith('Z') || typeof zone !== 'string';
  const timeZone = isUtc ? 'UTC' : zone;
  return { ms: momentOf(wallMs, timeZone), timeZone, isDate, wallMs, isFloating };
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The Gregorian calendar begins; Apple writes a birthday without a year in 1604. */
const firstMs = Date.UTC(1583, 0);

function momentIn(text: string): number {
  // A leap second is the one before it (RFC 5545 §3.3.12).
  const plain = text.replace(/:60Z$/, ':59Z');
  const ms = dateTime.test(plain) ? Date.parse(plain) : Number.NaN;
  // 31 February is no day, and `Date` takes it for one in March.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(plain.slice(0, 19)))
    throw new Unreadable('a time that is none');
  if (ms < firstMs) throw new Unreadable('a time before 1970');
  return ms;
}

/** A duration (RFC 5545 §3.3.6), which is negative for an alarm: days are those of the clocks, the rest is exact. */
export interface Duration {
  readonly daysMs: number;
  readonly exactMs: number;
}

/** @throws Unreadable */
export function durationOf(text: string): Duration {
  const found =
    /^([+-]?)P(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/i.exec(
      text.trim(),
    );
  if (!found || /P$/i.test(text.trim())) throw new Unreadable('a duration that is none');
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = found
    .slice(2)
    .map((part: string | undefined) => Number(part ?? 0));
  const sign = found[1] === '-' ? -1 : 1;
  return {
    daysMs: sign * (weeks * 7 + days) * 86_400_000,
    exactMs: sign * ((hours * 60 + minutes) * 60_000 + seconds * 1000),
  };
}
