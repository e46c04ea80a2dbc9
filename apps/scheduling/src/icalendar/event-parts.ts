import { createHash } from 'node:crypto';
import {
  attendeeRoles,
  eventLimits,
  eventMsMax,
  isEmail,
  isVisible,
  momentOf,
  wallClock,
  type Attendee,
  type Organizer,
} from '@postroom/contracts';
import { ruleProperty } from './calendar-text.js';
import {
  allOf,
  durationOf,
  oneOf,
  textIn,
  textOf,
  timeIn,
  timesOf,
  Unreadable,
  type CalendarTime,
  type Component,
  type Property,
} from './jcal.js';
import { occurrenceAdded, occurrenceNamed, type NamedSeries } from './occurrence-name.js';

const dayMs = 86_400_000;

/** Receives what of an event cannot be kept, in words. */
export type Tell = (warning: string) => void;

/** The UID of an event, empty for none. One that is too long is kept by its beginning and its hash. */
export function uidIn(event: Component, tell: Tell = () => {}): string {
  const uid = textIn(event, 'uid').trim();
  if (Array.from(uid).length <= uidMax) return uid;
  tell(`UID shortened to ${uidMax} characters`);
  const hash = createHash('sha256').update(uid).digest('hex');
  return cut(uid, uidMax - hash.length) + hash;
}

const uidMax = 255;

/** Title, description and location of an event, cut to their limits. */
export function textsIn(event: Component, tell: Tell = () => {}) {
  const text = (name: string, given: string, max: number): string => {
    if (Array.from(given).length > max) tell(`${name} cut to ${max} characters`);
    return cut(given, max);
  };
  return {
    title: text('SUMMARY', line(textIn(event, 'summary')), eventLimits.title),
    description: text('DESCRIPTION', textIn(event, 'description'), eventLimits.description),
    location: text('LOCATION', textIn(event, 'location'), eventLimits.location),
  };
}

const cut = (text: string, max: number): string => Array.from(text).slice(0, max).join('');

/** In one line, and in one direction: no name is to be read as another. Empty where nothing of it is seen. */
function line(text: string): string {
  const inOne = text
    .replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return isVisible(inOne) ? inOne : '';
}

/** The occurrence that an event changes, as its file names it; null for the event itself. @throws Unreadable */
export const occurrenceIn = (event: Component): CalendarTime | null =>
  timeIn(event, 'recurrence-id');

/** True if it changes all occurrences from that one on (RFC 5545 §3.2.13). */
export const isOfFollowing = (event: Component): boolean =>
  oneOf(event, 'recurrence-id')?.[1]['range'] !== undefined;

/**
 * When an event ends (RFC 5545 §3.6.1). One that names no end, or its start, takes no time, and a millisecond
 * here, where an end is after its start (`public-api.md` §2); one of a day lasts that day. Null where it is before.
 * @throws Unreadable
 */
export function endIn(event: Component, start: CalendarTime): number | null {
  const endMs = saidEnd(event, start);
  if (endMs < start.ms) return null;
  return endMs > start.ms ? endMs : shortestEnd(start);
}

/** The end of what takes no time. */
const shortestEnd = ({ ms, isDate }: CalendarTime): number => ms + (isDate ? dayMs : 1);

/** The same of a file, whose event stays whatever is wrong with its end. */
export function keptEndIn(event: Component, start: CalendarTime, tell: Tell): number {
  const endMs = tolerantEnd(event, start);
  if (endMs === null) tell('the end left out: none, or before the start');
  if (endMs !== null && endMs - start.ms > eventMsMax) tell('shortened to 366 days');
  return endMs === null ? shortestEnd(start) : Math.min(endMs, start.ms + eventMsMax);
}

function tolerantEnd(event: Component, start: CalendarTime): number | null {
  try {
    return endIn(event, start);
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** Days of a duration are those of the clocks: from noon to noon (RFC 5545 §3.3.6). */
function saidEnd(event: Component, start: CalendarTime): number {
  const end = timeIn(event, 'dtend');
  if (end) return end.ms;
  const text = textIn(event, 'duration');
  if (text === '') return start.ms;
  const { daysMs, exactMs } = durationOf(text);
  const days =
    daysMs === 0
      ? start.ms
      : momentOf(wallClock(start.ms, start.timeZone) + daysMs, start.timeZone);
  return days + exactMs;
}

/** The text of the rule of a series (RRULE); null for none. */
export const ruleIn = (event: Component): string | null =>
  textIn(event, ruleProperty).trim() || null;

/** The rule of an event without one to which days are added: beside them it takes place once. */
export const onceOnly = 'FREQ=DAILY;COUNT=1';

/** Starts that a rule leaves out, each once. @throws Unreadable */
export const exceptionsIn = (event: Component, series: NamedSeries): number[] =>
  momentsIn(event, 'exdate', (time) => occurrenceNamed(time, series));

/** Starts that stand beside those of a rule, each once. @throws Unreadable */
export const additionsIn = (event: Component, series: NamedSeries): number[] =>
  momentsIn(event, 'rdate', (time) => occurrenceAdded(time, series)).filter(
    (ms) => ms !== series.startMs,
  );

function momentsIn(
  event: Component,
  name: string,
  momentOfTime: (time: CalendarTime) => number,
): number[] {
  const times = allOf(event, name).flatMap(([property, parameters, type, ...values]) => {
    const isPeriod = type === 'period';
    const starts = values.map((one): unknown => (Array.isArray(one) ? one[0] : one));
    return timesOf([property, parameters, isPeriod ? 'date-time' : type, ...starts]);
  });
  return [...new Set(times.map(momentOfTime))].filter((ms) => ms > 0);
}

export function organizerIn(event: Component): Organizer | null {
  const property = oneOf(event, 'organizer');
  return (property && personOf(property)[0]) ?? null;
}

/** The calendar user who acts for another one (SENT-BY, RFC 5545 §3.2.18); empty where the property has none. */
export const senderFor = (event: Component, name: 'organizer' | 'attendee'): string =>
  addressOf(oneOf(event, name)?.[1]['sent-by']);

const addressOf = (value: unknown): string =>
  textOf(value)
    .replace(/^mailto:/i, '')
    .trim()
    .toLowerCase();

/**
 * Calendars that know people by another URI have their address beside it (RFC 7986 §6.2). Rooms and the like may
 * have none: they are left out.
 */
function personOf([, { cn, email: beside }, , value]: Property): Organizer[] {
  const name = cut(line(textOf(cn)), eventLimits.name) || null;
  const email = [value, beside].map(addressOf).find(isEmail);
  return email === undefined ? [] : [{ email, name }];
}

/** An attendee; the answer is null where it is not one that is kept, such as a delegation. */
export type ReadAttendee = Omit<Attendee, 'status'> & {
  readonly status: Attendee['status'] | null;
};

/** As many attendees as an event may have. */
export function attendeesIn(event: Component, tell: Tell = () => {}): ReadAttendee[] {
  const all = allOf(event, 'attendee').flatMap(attendeeOf);
  const { attendees: max } = eventLimits;
  if (all.length > max) tell(`${all.length - max} attendees left out: more than ${max}`);
  return all.slice(0, max);
}

function attendeeOf(property: Property): ReadAttendee[] {
  const { partstat = 'NEEDS-ACTION', role } = property[1];
  const status = answers[String(partstat).toUpperCase()] ?? null;
  const [, required] = attendeeRoles;
  return personOf(property).map((person) => ({
    ...{ ...person, role: roles[String(role).toUpperCase()] ?? required, status },
  }));
}

const answers: Readonly<Record<string, Attendee['status']>> = {
  'NEEDS-ACTION': 'needs_action',
  ACCEPTED: 'accepted',
  DECLINED: 'declined',
  TENTATIVE: 'tentative',
};

const roles: Readonly<Record<string, Attendee['role']>> = {
  CHAIR: 'chair',
  'REQ-PARTICIPANT': 'required',
  'OPT-PARTICIPANT': 'optional',
  'NON-PARTICIPANT': 'informed',
};

const links = ['conference', 'x-google-conference', 'x-microsoft-skypeteamsmeetingurl', 'url'];

/** The first http(s) address of a conference; others, such as a telephone number, may stand before it. */
export const conferenceIn = (event: Component): string | null =>
  links
    .flatMap((name) => allOf(event, name).flatMap(([, , , ...values]) => values.map(textOf)))
    .map((text) => text.trim())
    .find(isLink) ?? null;

const isLink = (text: string): boolean =>
  /^https?:\/\/\S+$/i.test(text) && text.length <= 2000 && URL.canParse(text);

/** False for what leaves its people free. */
export const isBusy = (event: Component): boolean =>
  textIn(event, 'transp').trim().toUpperCase() !== 'TRANSPARENT';

/** Everything but PUBLIC, since what is unknown is private (RFC 5545 §3.8.1.3). */
export const isPrivate = (event: Component): boolean =>
  !['', 'PUBLIC'].includes(textIn(event, 'class').trim().toUpperCase());
