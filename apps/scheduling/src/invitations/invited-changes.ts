import { isDeepStrictEqual } from 'node:util';
import { decode, EventChanges, Problem, type Attendee } from '@postroom/contracts';
import {
  attendeesAt,
  attendeesFrom,
  requireOccurrence,
  withGiven,
  withOverride,
  withoutOccurrence,
  type EventRecord,
  type SpannedEvent,
} from '../events/index.js';
import { isSameSeries, type SeriesAnswers } from '../recurrence/index.js';
import { occurrenceNamed, onceOnly } from '../icalendar/index.js';
import type { Invitation, InvitedContent, InvitedPart } from './read-invitation.js';

/** A part that names an occurrence of an event by its start; null for the event itself. */
export type NamedPart = InvitedPart & { readonly occurrenceMs: number | null };

/** A part as it is about an event. */
export function namedFor(part: InvitedPart, event: EventRecord): NamedPart {
  const { startMs, allDay, recurrence } = event;
  const timeZone = recurrence?.timeZone ?? event.timeZone;
  const { occurrence } = part;
  return {
    ...part,
    occurrenceMs: occurrence && occurrenceNamed(occurrence, { startMs, allDay, timeZone }),
  };
}

/** True if two addresses are the same. */
export const isSame = (one: string, other: string | undefined): boolean =>
  other !== undefined && one.toLowerCase() === other.toLowerCase();

/** The change of an event that a part asks for; null where it asks for what events here do not have. @throws Problem */
export function changeOf(
  method: Invitation['method'],
  part: NamedPart,
  event: SpannedEvent,
  { asked, ours }: { readonly asked: SeriesAnswers; readonly ours: readonly string[] },
): Partial<EventRecord> | null {
  if (method === 'REPLY') return answered(part, event, asked);
  const { occurrenceMs } = part;
  const isOff = isOffFor(part, ours);
  if (occurrenceMs === null) {
    return method === 'REQUEST' ? requested(part, event) : cancelled(part, event, isOff);
  }
  // It comes once to each mailbox that was addressed.
  if (isGone(event, occurrenceMs) && isCancelling(method, part)) return {};
  if (method === 'REQUEST') return requestedOnce(part, occurrenceMs, event, asked);
  return isOff
    ? withoutOccurrence(requireOccurrence(event, occurrenceMs, asked), occurrenceMs)
    : attendedBy(remaining(part, attendeesAt(event, occurrenceMs)), occurrenceMs, event, asked);
}

const isGone = ({ recurrence }: SpannedEvent, occurrenceMs: number): boolean =>
  recurrence?.exceptMs.includes(occurrenceMs) ?? false;

const isCancelling = (method: Invitation['method'], { status }: InvitedPart): boolean =>
  method === 'CANCEL' || status === 'cancelled';

/** The answer of an attendee, to the event or to one occurrence of it; null for one that is not kept. */
function answered(
  { attendees, occurrenceMs }: NamedPart,
  event: SpannedEvent,
  asked: SeriesAnswers,
) {
  const [answering] = attendees;
  const status = answering?.status;
  if (!status) return null;
  const invited = attendeesAt(event, occurrenceMs).map((one) =>
    isSame(one.email, answering.email) ? { ...one, status } : one,
  );
  return occurrenceMs === null
    ? { attendees: invited }
    : attendedBy(invited, occurrenceMs, event, asked);
}

/** The series with other attendees, or answers, of one occurrence. @throws Problem */
function attendedBy(
  attendees: readonly Attendee[],
  occurrenceMs: number,
  event: SpannedEvent,
  asked: SeriesAnswers,
): Partial<EventRecord> {
  const series = requireOccurrence(event, occurrenceMs, asked);
  const isAsBefore = isDeepStrictEqual(attendees, attendeesAt(event, occurrenceMs));
  return isAsBefore ? {} : withOverride(series, occurrenceMs, { attendees: [...attendees] });
}

/** The series with one occurrence as the organizer says it is. @throws Problem */
function requestedOnce(
  part: NamedPart,
  occurrenceMs: number,
  event: SpannedEvent,
  asked: SeriesAnswers,
): Partial<EventRecord> {
  const series = requireOccurrence(event, occurrenceMs, asked);
  const { attendees, ...changes } = given(part);
  const invited = attendeesFrom(attendees ?? []);
  const isAsBefore =
    invited.length === 0 || isDeepStrictEqual(invited, attendeesAt(event, occurrenceMs));
  return withOverride(
    series,
    occurrenceMs,
    isAsBefore ? changes : { ...changes, attendees: invited },
  );
}

/** A series that is moved or repeats otherwise has none of the occurrences that were changed before. */
function requested(part: NamedPart, event: SpannedEvent): EventRecord {
  const record = withGiven(event, given(part));
  const excepted = record.recurrence?.exceptMs ?? [];
  const overrides = isSameSeries(record, event)
    ? event.overrides.filter(({ occurrenceStartMs }) => !excepted.includes(occurrenceStartMs))
    : [];
  return { ...record, overrides };
}

/** RFC 5546 §3.2.5: without a status it is cancelled for the attendees that it names, who may be ourselves. */
const isOffFor = ({ status, attendees }: InvitedPart, ours: readonly string[]): boolean =>
  status === 'cancelled' ||
  attendees.length === 0 ||
  attendees.some(({ email }) => ours.includes(email));

function cancelled(part: InvitedPart, event: SpannedEvent, isOff: boolean): Partial<EventRecord> {
  if (isOff) return { status: 'cancelled' };
  return {
    attendees: remaining(part, event.attendees),
    overrides: event.overrides.map((one) =>
      one.attendees ? { ...one, attendees: remaining(part, one.attendees) } : one,
    ),
  };
}

/** The attendees without those whom a cancellation names. */
function remaining({ attendees }: InvitedPart, before: readonly Attendee[]): Attendee[] {
  const gone = new Set(attendees.map(({ email }) => email.toLowerCase()));
  return before.filter(({ email }) => !gone.has(email.toLowerCase()));
}

/** The part as a client would have given it, held to the same bounds. @throws Problem */
function given(part: NamedPart): EventChanges {
  const { organizer, status, content } = part;
  if (!content?.start || content.endMs === null) throw new Problem('INVALID_DATES');
  const { title, description, location, busy, conferenceLink, endMs } = content;
  const { ms: startMs, timeZone, isDate: allDay } = content.start;
  const isWhole = part.occurrenceMs === null;
  const body = {
    ...(title !== '' && { title }),
    ...{ description, location, startMs, endMs, status: status ?? 'confirmed' },
    ...{ busy, conferenceLink },
    attendees: part.attendees.map(({ status: answer, ...one }) => ({
      ...{ ...one, status: answer ?? 'needs_action' },
    })),
    ...(isWhole && {
      ...{ timeZone, allDay, organizer },
      recurrence: ruleOf(content, timeZone),
    }),
  };
  const { input, violations } = decode(EventChanges, { body });
  if (violations) throw new Problem('INVALID_REQUEST', { violations });
  return input;
}

/** Days that are added to an event without a rule are those beside a rule of that one occurrence. */
function ruleOf({ rrule, exceptMs, addedMs }: InvitedContent, timeZone: string) {
  if (rrule === null && addedMs.length === 0) return null;
  return { rrule: rrule ?? onceOnly, timeZone, exceptMs, addedMs };
}
