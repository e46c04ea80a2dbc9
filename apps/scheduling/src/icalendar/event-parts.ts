import {
  attendeeRoles,
  eventLimits,
  isEmail,
  isVisible,
  type Attendee,
  type Organizer,
} from '@postroom/contracts';
import {
  allOf,
  durationMs,
  oneOf,
  textIn,
  timeIn,
  timesOf,
  Unreadable,
  type CalendarTime,
  type Component,
  type Property,
} from './jcal.js';

const dayMs = 86_400_000;

/** The UID of an event; empty for none. @throws Unreadable */
export function uidIn(event: Component): string {
  const uid = textIn(event, 'uid');
  if (uid.length > uidMax) throw new Unreadable(`a UID of more than ${uidMax} characters`);
  return uid;
}

const uidMax = 255;

/**
 * For imports, which cut nothing: checks that every text is within its limit.
 * @throws Unreadable
 */
export function requireFitting(event: Component): void {
  const texts = [
    ['SUMMARY', line(textIn(event, 'summary')), eventLimits.title],
    ['DESCRIPTION', textIn(event, 'description'), eventLimits.description],
    ['LOCATION', textIn(event, 'location'), eventLimits.location],
  ] as const;
  for (const [name, text, max] of texts)
    if (Array.from(text).length > max)
      throw new Unreadable(`${name} longer than ${max} characters`);
  const attendees = allOf(event, 'attendee').flatMap(attendeeOf).length;
  if (attendees > eventLimits.attendees)
    throw new Unreadable(`more than ${eventLimits.attendees} attendees`);
}

/** Title, description and location of an event, cut to their limits. */
export const textsIn = (event: Component) => ({
  title: cut(line(textIn(event, 'summary')), eventLimits.title),
  description: cut(textIn(event, 'description'), eventLimits.description),
  location: cut(textIn(event, 'location'), eventLimits.location),
});

const cut = (text: string, max: number): string => Array.from(text).slice(0, max).join('');
/** In one line; empty where nothing of it is seen. */
function line(text: string): string {
  const inOne = text.replace(/\p{Cc}+/gu, ' ').trim();
  return isVisible(inOne) ? inOne : '';
}

/** Start, by the rule, of the occurrence that an event changes; null for the event itself. @throws Unreadable */
export const occurrenceIn = (event: Component): number | null =>
  timeIn(event, 'recurrence-id')?.ms ?? null;

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
  return endMs > start.ms ? endMs : start.ms + (start.isDate ? dayMs : 1);
}

function saidEnd(event: Component, start: CalendarTime): number {
  const end = timeIn(event, 'dtend');
  if (end) return end.ms;
  const duration = textIn(event, 'duration');
  return duration === '' ? start.ms : start.ms + durationMs(duration);
}

/** The rule of a series, as RRULE again, which rules are read from; null for none. @throws Unreadable */
export function ruleIn(event: Component): string | null {
  const rules = allOf(event, 'rrule');
  if (rules.length > 1 || oneOf(event, 'rdate'))
    throw new Unreadable('occurrences beside those of one rule (RDATE, or a second RRULE)');
  const [rule] = rules;
  if (!rule) return null;
  return Object.entries(rule[3] as Readonly<Record<string, unknown>>)
    .map(([name, part]) => [name.toUpperCase(), String(part)] as const)
    .map(([name, part]) => `${name}=${plainPart(name, part)}`)
    .join(';');
}

/** A part of a rule as RRULE writes it: ical.js has numbers for the days on which weeks begin. */
function plainPart(name: string, part: string): string {
  if (name === 'UNTIL') return part.replaceAll(/[-:]/g, '');
  if (name === 'WKST') return ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'][Number(part) - 1] ?? part;
  return part;
}

/** Starts that a rule leaves out, each once. */
export const exceptionsIn = (event: Component): number[] => [
  ...new Set(allOf(event, 'exdate').flatMap((property) => timesOf(property).map(({ ms }) => ms))),
];

export function organizerIn(event: Component): Organizer | null {
  const property = oneOf(event, 'organizer');
  return (property && personOf(property)[0]) ?? null;
}

/** Rooms and the like may have no mail address: they are left out. */
function personOf([, { cn }, , value]: Property): Organizer[] {
  const email = typeof value === 'string' ? value.replace(/^mailto:/i, '').trim() : '';
  const name = cut(line(typeof cn === 'string' ? cn : ''), eventLimits.name) || null;
  return isEmail(email) ? [{ email: email.toLowerCase(), name }] : [];
}

/** An attendee; the answer is null where it is not one that is kept, such as a delegation. */
export type ReadAttendee = Omit<Attendee, 'status'> & {
  readonly status: Attendee['status'] | null;
};

/** As many attendees as an event may have. */
export const attendeesIn = (event: Component): ReadAttendee[] =>
  allOf(event, 'attendee').flatMap(attendeeOf).slice(0, eventLimits.attendees);

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
