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
