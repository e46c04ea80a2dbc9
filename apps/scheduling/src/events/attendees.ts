import { isDeepStrictEqual } from 'node:util';
import type { Attendee, EventOverride, GivenAttendee, Organizer } from '@postroom/contracts';

/** The parts of an event that say who takes part in it. */
interface Attended {
  readonly startMs: number;
  readonly recurrence: { readonly timeZone: string } | null;
  readonly attendees: readonly Attendee[];
  readonly overrides: readonly EventOverride[];
}

/** An organizer as it is stored. */
export const organizerOf = ({
  email,
  name,
}: {
  email: string;
  name?: string | null;
}): Organizer => ({ email, name: name ?? null });

/** Attendees as they are stored, each address once: the first entry counts. */
export function attendeesFrom(given: readonly GivenAttendee[]): Attendee[] {
  const once = new Map<string, Attendee>();
  for (const { role, status, ...person } of given) {
    if (!once.has(person.email)) once.set(person.email, { ...organizerOf(person), role, status });
  }
  return [...once.values()];
}

/** The attendees of one occurrence, or of the event itself for null. */
export const attendeesAt = (event: Attended, occurrenceMs: number | null): readonly Attendee[] =>
  overrideAt(event, occurrenceMs)?.attendees ?? event.attendees;

const overrideAt = ({ overrides }: Attended, occurrenceMs: number | null) =>
  overrides.find((one) => one.occurrenceStartMs === occurrenceMs);

/** True if an earlier attendee has another answer now, to the event or to one occurrence. */
export function answersChanged(before: Attended, after: Attended): boolean {
  // A series that is moved takes its changed occurrences along.
  const isThere =
    before.startMs === after.startMs && before.recurrence?.timeZone === after.recurrence?.timeZone;
  const changed = isThere ? occurrencesOf(after) : [];
  return [null, ...changed].some((occurrenceMs) => {
    const now = new Map(attendeesAt(after, occurrenceMs).map((one) => [one.email, one.status]));
    return attendeesAt(before, occurrenceMs).some(
      ({ email, status }) => now.has(email) && now.get(email) !== status,
    );
  });
}

const occurrencesOf = ({ overrides }: Attended): number[] =>
  overrides.map(({ occurrenceStartMs }) => occurrenceStartMs);

/** True if attendees and changed occurrences are the same, but for the answers. */
export const isSameButAnswers = (before: Attended, after: Attended): boolean =>
  [...new Set([null, ...occurrencesOf(before), ...occurrencesOf(after)])].every((occurrenceMs) =>
    isDeepStrictEqual(unanswered(before, occurrenceMs), unanswered(after, occurrenceMs)),
  );

function unanswered(event: Attended, occurrenceMs: number | null) {
  const { occurrenceStartMs: _, attendees: __, ...rest } = overrideAt(event, occurrenceMs) ?? {};
  const people = attendeesAt(event, occurrenceMs).map(({ status: ___, ...person }) => person);
  return { people, rest };
}
