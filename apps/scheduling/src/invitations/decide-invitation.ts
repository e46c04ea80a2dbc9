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
import { occurrenceNamed, onceOnly } from '../icalendar/index.js';
import type { Invitation, InvitedContent, InvitedPart } from './read-invitation.js';

/** The sender, as far as it is known. */
export interface Sender {
  readonly email: string;
  readonly dmarc: string | null;
  /** True with positive evidence that the address sent it, or where the workspace asks for none. */
  readonly isTrusted: boolean;
  /** Addresses of the calendar part that are mailboxes of the workspace. */
  readonly ours: readonly string[];
}

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
  | {
      readonly state: Exclude<MessageInvitation['state'], 'applied'>;
      readonly reason: string;
    };

const refusedFor = (reason: string): Decision => ({ state: 'refused', reason });
const stale: Decision = { state: 'stale', reason: 'a newer one was applied' };
const unconfirmed: Decision = {
  state: 'unconfirmed',
  reason: 'nothing shows that its sender sent it',
};

/** Numbers of an invitation that may be missing between two that come. */
const sequenceJumpMax = 1000;

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
  part: NamedPart,
  event: SpannedEvent,
  { sender, stamps, asked }: Facts,
): Decision {
  const stamp = stampOf(method, part);
  if (part.isOfFollowing) return refusedFor('it changes all occurrences from one on');
  if (!isFrom(method, part, event, sender)) return refusedFor('not from whom it should be');
  if (stamps.some((one) => isOlder(stamp, one))) return stale;
  const known = Math.max(0, ...stamps.map(({ sequence }) => sequence));
  if (stamp.sequence - known > sequenceJumpMax) return refusedFor('its SEQUENCE is far ahead');
  if (!sender.isTrusted) return unconfirmed;
  try {
    const change = changeOf(method, part, event, { asked, ours: sender.ours });
    return change ? { state: 'applied', change, stamp } : refusedFor('nothing that is kept');
  } catch (error) {
    if (error instanceof Problem) return refusedFor(`no event can have this: ${wordsOf(error)}`);
    throw error;
  }
}

const wordsOf = ({ code, violations }: Problem): string =>
  violations.map(({ field, message }) => `${field}: ${message.en}`).join('; ') || code;

/** The questions about an event that the parts raise whose sender may change it. */
export const questionsOf = (
  { method, parts }: Pick<Invitation, 'method' | 'parts'>,
  event: SpannedEvent,
  sender: Sender,
): readonly SeriesQuestion[] =>
  parts.flatMap((one) => {
    const part = namedFor(one, event);
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
  { organizer, attendees, sentBy, occurrenceMs }: NamedPart,
  event: SpannedEvent,
  sender: Sender,
): boolean {
  const { email, dmarc } = sender;
  // `permerror`: it names several authors, or none.
  if (dmarc === 'fail' || dmarc === 'permerror') return false;
  if (method !== 'REPLY') return isOrganizer(sender, organizer?.email ?? '', { event, sentBy });
  const [answering, ...others] = attendees;
  return (
    others.length === 0 &&
    answering !== undefined &&
    (isSame(email, answering.email) || writesFor(sender, answering.email, sentBy)) &&
    attendeesAt(event, occurrenceMs).some((one) => isSame(answering.email, one.email))
  );
}

/** Events that we organize ourselves are changed here, and by no mail. */
function isOrganizer(
  sender: Sender,
  address: string,
  { event, sentBy }: { readonly event: SpannedEvent; readonly sentBy: string },
): boolean {
  const isOurs = sender.ours.includes(address);
  if (isOurs || !isSame(address, event.organizer?.email)) return false;
  return isSame(sender.email, address) || writesFor(sender, address, sentBy);
}

/** True for an assistant (SENT-BY) of the same domain, whose own address is authenticated. */
function writesFor({ email, dmarc }: Sender, address: string, sentBy: string): boolean {
  const domainOf = (one: string): string => one.slice(one.lastIndexOf('@') + 1).toLowerCase();
  return dmarc === 'pass' && isSame(email, sentBy) && domainOf(sentBy) === domainOf(address);
}

const stampOf = (method: Invitation['method'], part: NamedPart): Stamp => ({
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
