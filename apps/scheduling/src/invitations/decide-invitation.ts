import { isDeepStrictEqual } from 'node:util';
import {
  decode,
  EventChanges,
  Problem,
  type Attendee,
  type MessageInvitation,
} from '@postroom/contracts';
import {
  attendeesAt,
  attendeesFrom,
  occurrenceQuestion,
  requireOccurrence,
  withGiven,
  withOverride,
  withoutOccurrence,
  type EventRecord,
  type SpannedEvent,
} from '../events/index.js';
import { isSameSeries, type SeriesAnswers, type SeriesQuestion } from '../recurrence/index.js';
import type { Invitation, InvitedPart } from './read-invitation.js';

/** The sender, as far as it is known. */
export interface Sender {
  readonly email: string;
  readonly dmarc: string | null;
}

/** The newest that was applied of what a party has sent about an event, or about one occurrence of it. */
export interface Stamp {
  /** The attendee who has answered; empty for the organizer. */
  readonly party: string;
  readonly occurrenceMs: number | null;
  readonly sequence: number;
  readonly stampMs: number;
}

/** The decision about one part of an invitation. */
export type Decision =
  | { readonly state: 'applied'; readonly change: Partial<EventRecord>; readonly stamp: Stamp }
  | { readonly state: Exclude<MessageInvitation['state'], 'applied'> };

const refused: Decision = { state: 'refused' };
const stale: Decision = { state: 'stale' };

/** The facts beside an invitation and its event. */
interface Facts {
  readonly sender: Sender;
  readonly stamps: readonly Stamp[];
  readonly asked: SeriesAnswers;
}

/**
 * Decides about one part of an invitation and an event of its UID (RFC 5546 §3.2, RFC 6047 §2.3): it is
 * applied when it comes from whom it has to, nothing speaks against that, and nothing newer was applied.
 */
export function decide(
  { method }: Pick<Invitation, 'method'>,
  part: InvitedPart,
  event: SpannedEvent,
  { sender, stamps, asked }: Facts,
): Decision {
  const stamp = stampOf(method, part);
  if (part.isOfFollowing || !isFrom(method, part, event, sender)) return refused;
  if (stamps.some((one) => isOlder(stamp, one))) return stale;
  try {
    const change = changeOf(method, part, event, asked);
    return change ? { state: 'applied', change, stamp } : refused;
  } catch (error) {
    // No event can have this content.
    if (error instanceof Problem) return refused;
    throw error;
  }
}

/** The questions about an event that the parts raise whose sender may change it. */
export const questionsOf = (
  { method, parts }: Pick<Invitation, 'method' | 'parts'>,
  event: SpannedEvent,
  sender: Sender,
): readonly SeriesQuestion[] =>
  parts.flatMap((part) => {
    const { occurrenceMs } = part;
    const { recurrence } = event;
    return occurrenceMs === null || !recurrence || !isFrom(method, part, event, sender)
      ? []
      : [occurrenceQuestion(recurrence, event, occurrenceMs)];
  });

const isSame = (one: string, other: string | undefined): boolean =>
  other !== undefined && one.toLowerCase() === other.toLowerCase();

/** True if it was sent by the party that may send it, as far as that is known. */
function isFrom(
  method: Invitation['method'],
  { organizer, attendees, occurrenceMs }: InvitedPart,
  event: SpannedEvent,
  { email, dmarc }: Sender,
): boolean {
  // `permerror`: it names several authors, or none.
  if (dmarc === 'fail' || dmarc === 'permerror') return false;
  if (method !== 'REPLY') {
    return isSame(email, organizer?.email) && isSame(email, event.organizer?.email);
  }
  const [answering, ...others] = attendees;
  return (
    others.length === 0 &&
    isSame(email, answering?.email) &&
    attendeesAt(event, occurrenceMs).some((one) => isSame(email, one.email))
  );
}

const stampOf = (method: Invitation['method'], part: InvitedPart): Stamp => ({
  party: method === 'REPLY' ? (part.attendees[0]?.email.toLowerCase() ?? '') : '',
  occurrenceMs: part.occurrenceMs,
  sequence: part.sequence,
  stampMs: part.stampMs,
});

/** True if a stamp of the same matter is newer; an answer may also be one to an older invitation. */
function isOlder(stamp: Stamp, known: Stamp): boolean {
  const isAboutAll = known.occurrenceMs === null;
  if (!isAboutAll && known.occurrenceMs !== stamp.occurrenceMs) return false;
  if (known.party !== stamp.party) return known.party === '' && stamp.sequence < known.sequence;
  if (stamp.sequence !== known.sequence) return stamp.sequence < known.sequence;
  return known.occurrenceMs === stamp.occurrenceMs && stamp.stampMs < known.stampMs;
}

/** Null where it asks for what events here do not have. @throws Problem */
function changeOf(
  method: Invitation['method'],
  part: InvitedPart,
  event: SpannedEvent,
  asked: SeriesAnswers,
): Partial<EventRecord> | null {
  if (method === 'REPLY') return answered(part, event, asked);
  const { occurrenceMs } = part;
  if (occurrenceMs === null) {
    return method === 'REQUEST' ? requested(part, event) : cancelled(part, event);
  }
  // It comes once to each mailbox that was addressed.
  if (isGone(event, occurrenceMs) && isCancelling(method, part)) return {};
  if (method === 'REQUEST') return requestedOnce(part, occurrenceMs, event, asked);
  return isOff(part)
    ? withoutOccurrence(requireOccurrence(event, occurrenceMs, asked), occurrenceMs)
    : attendedBy(remaining(part, attendeesAt(event, occurrenceMs)), occurrenceMs, event, asked);
}

const isGone = ({ recurrence }: SpannedEvent, occurrenceMs: number): boolean =>
  recurrence?.exceptMs.includes(occurrenceMs) ?? false;

const isCancelling = (method: Invitation['method'], { status }: InvitedPart): boolean =>
  method === 'CANCEL' || status === 'cancelled';

/** The answer of an attendee, to the event or to one occurrence of it; null for one that is not kept. */
function answered(
  { attendees, occurrenceMs }: InvitedPart,
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
  part: InvitedPart,
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
function requested(part: InvitedPart, event: SpannedEvent): EventRecord {
  const record = withGiven(event, given(part));
  const excepted = record.recurrence?.exceptMs ?? [];
  const overrides = isSameSeries(record, event)
    ? event.overrides.filter(({ occurrenceStartMs }) => !excepted.includes(occurrenceStartMs))
    : [];
  return { ...record, overrides };
}

/** RFC 5546 §3.2.5: without a status it is cancelled for the attendees alone that it names. */
const isOff = ({ status, attendees }: InvitedPart): boolean =>
  status === 'cancelled' || attendees.length === 0;

function cancelled(part: InvitedPart, event: SpannedEvent): Partial<EventRecord> {
  if (isOff(part)) return { status: 'cancelled' };
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
function given(part: InvitedPart): EventChanges {
  const { start, endMs, title, description, location, organizer, status, rrule, exceptMs } = part;
  if (!start || endMs === null) throw new Problem('INVALID_DATES');
  const { ms: startMs, timeZone, isDate: allDay } = start;
  const isWhole = part.occurrenceMs === null;
  const body = {
    ...(title !== '' && { title }),
    ...{ description, location, startMs, endMs, status: status ?? 'confirmed' },
    attendees: part.attendees.map(({ status: answer, ...one }) => ({
      ...{ ...one, status: answer ?? 'needs_action' },
    })),
    ...(isWhole && {
      ...{ timeZone, allDay, organizer },
      recurrence: rrule === null ? null : { rrule, timeZone, exceptMs },
    }),
  };
  const { input, violations } = decode(EventChanges, { body });
  if (violations) throw new Problem('INVALID_REQUEST', { violations });
  return input;
}
