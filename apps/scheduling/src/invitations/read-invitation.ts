import {
  eventStatuses,
  invitationMethods,
  type EventStatus,
  type Organizer,
} from '@postroom/contracts';
import {
  attendeesIn,
  endIn,
  exceptionsIn,
  FileZones,
  isOfFollowing,
  hasFloatingTime,
  occurrenceIn,
  oneOf,
  organizerIn,
  parseComponent,
  ruleIn,
  textIn,
  textsIn,
  timeIn,
  uidIn,
  Unreadable,
  type CalendarTime,
  type Component,
  type ReadAttendee,
} from '../icalendar/index.js';

/** An iTIP message about an event. */
export interface Invitation {
  readonly method: (typeof invitationMethods)[number];
  readonly uid: string;
  /** The event, once at most, or occurrences of it. */
  readonly parts: readonly InvitedPart[];
}

/** An event, or one occurrence of it, as a calendar part has it. */
export interface InvitedPart {
  readonly occurrenceMs: number | null;
  /** True if it is about all occurrences from that one on. */
  readonly isOfFollowing: boolean;
  readonly sequence: number;
  readonly stampMs: number;
  readonly organizer: Organizer | null;
  readonly attendees: readonly ReadAttendee[];
  readonly status: EventStatus | null;
  readonly start: CalendarTime | null;
  readonly endMs: number | null;
  readonly title: string;
  readonly description: string;
  readonly location: string;
  readonly rrule: string | null;
  readonly exceptMs: readonly number[];
}

/** Components within components, and events of one calendar part. */
const depthMax = 5;
const partsMax = 100;

/**
 * Reads a calendar part. Nothing of it is expanded, so that its cost is that of its length.
 * @throws Unreadable
 */
export function readInvitation(text: string): Invitation {
  const calendar = calendarOf(text);
  const method = textIn(calendar, 'method').toUpperCase();
  const events = calendar[2].filter(([kind]) => kind === 'vevent');
  const uids = new Set(events.map(uidIn));
  const [uid = ''] = uids;
  if (!isMethod(method)) throw new Unreadable('no method that is acted on');
  if (uids.size !== 1 || uid === '') throw new Unreadable('no event, or several');
  if (events.length > partsMax) throw new Unreadable('too many events');
  if (events.filter((event) => !oneOf(event, 'recurrence-id')).length > 1)
    throw new Unreadable('the event several times');
  const zones = new FileZones(() => calendar[2].filter(([kind]) => kind === 'vtimezone'));
  return { method, uid, parts: events.map((event) => partOf(zones.settle(event))) };
}

const isMethod = (name: string): name is Invitation['method'] =>
  (invitationMethods as readonly string[]).includes(name);

function calendarOf(text: string): Component {
  let depth = 0;
  for (const line of text.split(/\r?\n/)) {
    if (/^BEGIN:/i.test(line)) depth += 1;
    if (/^END:/i.test(line)) depth -= 1;
    if (depth > depthMax) throw new Unreadable('components within components');
  }
  const calendar = parseComponent(text);
  if (calendar[0] !== 'vcalendar') throw new Unreadable('no calendar');
  return calendar;
}

function partOf(event: Component): InvitedPart {
  if (hasFloatingTime(event)) throw new Unreadable('a time in no zone');
  const [start, stamp] = [timeIn(event, 'dtstart'), timeIn(event, 'dtstamp')];
  if (!stamp) throw new Unreadable('no time of its making');
  const status = textIn(event, 'status').toLowerCase();
  return {
    occurrenceMs: occurrenceIn(event),
    isOfFollowing: isOfFollowing(event),
    sequence: sequenceOf(textIn(event, 'sequence')),
    stampMs: stamp.ms,
    organizer: organizerIn(event),
    attendees: attendeesIn(event),
    status: eventStatuses.find((one) => one === status) ?? null,
    start,
    endMs: start && endIn(event, start),
    ...textsIn(event),
    rrule: ruleIn(event),
    exceptMs: exceptionsIn(event),
  };
}

/** Numbers beyond what can be counted are no numbers: nothing newer could follow them. */
function sequenceOf(text: string): number {
  const sequence = text === '' ? 0 : Number(text);
  if (!Number.isInteger(sequence) || sequence < 0 || sequence > 2_147_483_647)
    throw new Unreadable('no sequence');
  return sequence;
}
