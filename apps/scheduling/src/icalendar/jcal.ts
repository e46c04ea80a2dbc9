import ICAL from 'ical.js';
import { timeOf, type CalendarTime } from './calendar-times.js';
import { Unreadable } from './unreadable.js';

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

/** How many parameters the line with most of them has, folded as it may be (RFC 5545 §3.1), in one pass. */
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

/** Whether a component has a time of no zone, which is another moment for each reader (RFC 5545 §3.3.5). */
export const hasFloatingTime = ([, properties]: Component): boolean =>
  properties.some(
    ([, { tzid }, type, ...values]) =>
      type === 'date-time' &&
      tzid === undefined &&
      values.some((value) => !String(value).endsWith('Z')),
  );
