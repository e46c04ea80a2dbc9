import {
  eventStatuses,
  invitationMethods,
  type EventStatus,
  type Organizer,
} from '@postroom/contracts';
import {
  additionsIn,
  attendeesIn,
  conferenceIn,
  endIn,
  exceptionsIn,
  FileZones,
  isBusy,
  isOfFollowing,
  occurrenceIn,
  oneOf,
  organizerIn,
  parseComponent,
  ruleIn,
  senderFor,
  textIn,
  textsIn,
  tidyLines,
  timeIn,
  uidIn,
  Unreadable,
  zoneNamed,
  type CalendarTime,
  type Component,
  type ReadAttendee,
} from '../icalendar/index.js';

type Method = (typeof invitationMethods)[number];

/** The event of an iTIP message, and what is asked. */
export interface InvitationHead {
  readonly method: Method;
  readonly uid: string;
}

/** An iTIP message about an event. */
export interface Invitation extends InvitationHead {
  /** The event, once at most and first, and occurrences of it. */
  readonly parts: readonly InvitedPart[];
}

/** An event, or one occurrence of it, as a calendar part has it. */
export interface InvitedPart {
  /** The occurrence as the part names it; null for the event itself. */
  readonly occurrence: CalendarTime | null;
  /** True if it is about all occurrences from that one on. */
  readonly isOfFollowing: boolean;
  readonly sequence: number;
  readonly stampMs: number;
  readonly organizer: Organizer | null;
  /** The SENT-BY of the organizer, or in an answer of the attendee; empty where there is none. */
  readonly sentBy: string;
  readonly attendees: readonly ReadAttendee[];
  readonly status: EventStatus | null;
  /** Null for an answer, which counts by UID, ATTENDEE and DTSTAMP alone (RFC 5546 §3.2.3). */
  readonly content: InvitedContent | null;
}

/** The event as an invitation describes it. */
export interface InvitedContent {
  readonly start: CalendarTime | null;
  readonly endMs: number | null;
  readonly title: string;
  readonly description: string;
  readonly location: string;
  readonly busy: boolean;
  readonly conferenceLink: string | null;
  readonly rrule: string | null;
  readonly exceptMs: readonly number[];
  readonly addedMs: readonly number[];
}

/** Components within components, and events of one calendar part. */
const depthMax = 5;
const partsMax = 100;

/** Method and UID of a calendar part, whatever else it says; null where it asks for nothing. */
export function invitationHead(text: string): InvitationHead | null {
  let [method, uid]: [Method | null, string] = [null, ''];
  for (const line of tidyLines(text)) {
    const [, name = '', value = ''] = /^(METHOD|UID)[^:]*:(.*)$/i.exec(line) ?? [];
    if (name.toUpperCase() === 'METHOD') method ??= methodOf(value);
    if (name.toUpperCase() === 'UID') uid ||= value.trim();
  }
  return method && { method, uid: Array.from(uid).slice(0, 255).join('') };
}

const methodOf = (text: string): Method | null =>
  invitationMethods.find((one) => one === text.trim().toUpperCase()) ?? null;

/**
 * Reads a calendar part. Nothing of it is expanded, so that its cost is that of its length.
 * @throws Unreadable
 */
export function readInvitation(text: string): Invitation {
  const calendar = calendarOf(text);
  const method = methodOf(textIn(calendar, 'method'));
  const events = calendar[2].filter(([kind]) => kind === 'vevent');
  const uids = new Set(events.map((event) => uidIn(event)));
  const [uid = ''] = uids;
  if (!method) throw new Unreadable('no method that is acted on');
  if (uids.size !== 1 || uid === '') throw new Unreadable('no event, or several');
  if (events.length > partsMax) throw new Unreadable('too many events');
  if (events.filter((event) => !oneOf(event, 'recurrence-id')).length > 1)
    throw new Unreadable('the event several times');
  const definitions = () => calendar[2].filter(([kind]) => kind === 'vtimezone');
  const zones = new FileZones(definitions, zoneNamed(textIn(calendar, 'x-wr-timezone')));
  const parts = events.map((event) => partOf(method, event, zones));
  return { method, uid, parts: parts.sort(wholeFirst) };
}

/** The event itself before its occurrences, which have to be those of the event as it becomes. */
const wholeFirst = (one: InvitedPart, other: InvitedPart): number =>
  Number(one.occurrence !== null) - Number(other.occurrence !== null);

function calendarOf(text: string): Component {
  let depth = 0;
  for (const line of tidyLines(text)) {
    if (/^BEGIN:/i.test(line)) depth += 1;
    if (/^END:/i.test(line)) depth -= 1;
    if (depth > depthMax) throw new Unreadable('components within components');
  }
  const calendar = parseComponent(text);
  if (calendar[0] !== 'vcalendar') throw new Unreadable('no calendar');
  return calendar;
}

const answering = new Set(['dtstamp', 'recurrence-id', 'attendee', 'sequence', 'status']);

function partOf(method: Method, given: Component, zones: FileZones): InvitedPart {
  const isAnswer = method === 'REPLY';
  const [name, properties] = given;
  const counting = properties.filter(([own]) => !isAnswer || answering.has(own));
  const { event } = zones.settle([name, counting, []]);
  const stamp = timeIn(event, 'dtstamp');
  if (!stamp) throw new Unreadable('no time of its making');
  const status = textIn(event, 'status').toLowerCase();
  return {
    occurrence: occurrenceIn(event),
    isOfFollowing: isOfFollowing(event),
    sequence: sequenceOf(textIn(event, 'sequence')),
    stampMs: stamp.ms,
    organizer: organizerIn(event),
    sentBy: senderFor(event, isAnswer ? 'attendee' : 'organizer'),
    attendees: attendeesIn(event),
    status: eventStatuses.find((one) => one === status) ?? null,
    content: isAnswer ? null : contentOf(event),
  };
}

function contentOf(event: Component): InvitedContent {
  const start = timeIn(event, 'dtstart');
  const series = start && { startMs: start.ms, timeZone: start.timeZone, allDay: start.isDate };
  return {
    start,
    endMs: start && endIn(event, start),
    ...textsIn(event),
    busy: isBusy(event),
    conferenceLink: conferenceIn(event),
    rrule: ruleIn(event),
    exceptMs: series ? exceptionsIn(event, series) : [],
    addedMs: series ? additionsIn(event, series) : [],
  };
}

/** Numbers beyond what can be counted are no numbers: nothing newer could follow them. */
function sequenceOf(text: string): number {
  const sequence = text === '' ? 0 : Number(text);
  if (!Number.isInteger(sequence) || sequence < 0 || sequence > 2_147_483_647)
    throw new Unreadable('no sequence');
  return sequence;
}
