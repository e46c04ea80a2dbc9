import { Problem, type MessageInvitation } from '@postroom/contracts';
import {
  attendeesAt,
  occurrenceQuestion,
  type EventRecord,
  type SpannedEvent,
} from '../events/index.js';
import type { SeriesAnswers, SeriesQuestion } from '../recurrence/index.js';
import { changeOf, isSame, namedFor, type NamedPart } from './invited-changes.js';
import type { Invitation } from './read-invitation.js';

/** The sender, as far as it is known. */
export interface Sender {
  readonly email: string;
  readonly dmarc: string | null;
  /** True with positive evidence that the address sent it, or where the workspace asks for none. */
  readonly isTrusted: boolean;
  /** Addresses of the calendar part that are mailboxes of the workspace. */
  readonly ours: readonly string[];
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
