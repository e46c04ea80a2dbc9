import {
  eventLimits,
  EventOverride,
  fieldsOf,
  invalidField,
  recurrenceLimits,
  type EventChanges,
} from '@postroom/contracts';
import {
  countFrom,
  withoutExceptions,
  type SeriesAnswers,
  type SeriesQuestion,
} from '../recurrence/index.js';
import { attendeesFrom } from './attendees.js';
import { requireSize, requireTimes, type EventRecord } from './event-record.js';
import type { SpannedEvent } from './occurrences.js';
import { endsOf } from './override-times.js';

type Rule = NonNullable<EventRecord['recurrence']>;

/** An event that has a rule. */
type Repeating = SpannedEvent & { readonly recurrence: Rule };

/** The question whether an occurrence of a series starts, by its rule, at a moment. */
export const occurrenceQuestion = (
  rule: Rule,
  { startMs, lastStartMs: lastMs }: Pick<SpannedEvent, 'startMs' | 'lastStartMs'>,
  atMs: number,
): SeriesQuestion => ({ ...withoutExceptions({ rule, startMs }), ask: 'at', atMs, lastMs });

/** @throws Problem INVALID_REQUEST when the event has no occurrence that starts there by its rule */
export function requireOccurrence(
  event: SpannedEvent,
  startMs: number,
  asked: SeriesAnswers,
): Repeating {
  const { recurrence } = event;
  const isOne =
    recurrence?.exceptMs.includes(startMs) === false &&
    asked.answerTo(occurrenceQuestion(recurrence, event, startMs)) !== null;
  if (isOne) return { ...event, recurrence };
  const fr = 'aucune occurrence ne commence à ce moment';
  throw invalidField('occurrenceStartMs', fr, 'no occurrence starts at this moment');
}

/** The fields that one occurrence may change. */
const ofOccurrences = fieldsOf(EventOverride)
  .map(({ name }) => name)
  .filter((name) => name !== 'occurrenceStartMs');

/**
 * The series with one occurrence changed; one that is cancelled becomes an exception.
 * @throws Problem INVALID_REQUEST
 */
export function withOverride(
  event: Repeating,
  occurrenceStartMs: number,
  given: EventChanges,
): Partial<EventRecord> {
  if (given.status === 'cancelled') return withoutOccurrence(event, occurrenceStartMs);
  const known = event.overrides.find((one) => one.occurrenceStartMs === occurrenceStartMs);
  const others = event.overrides.filter((one) => one !== known);
  const cleared = { description: '', location: '', attendees: [] };
  const attendees = given.attendees && attendeesFrom(given.attendees);
  const said = ofOccurrences.flatMap((name) => {
    const value: unknown = Reflect.get({ ...given, attendees }, name);
    if (value === undefined) return [];
    return [[name, value ?? Reflect.get(cleared, name) ?? null] as const];
  });
  const override: EventOverride = { ...known, occurrenceStartMs, ...Object.fromEntries(said) };
  const startMs = override.startMs ?? occurrenceStartMs;
  requireTimes({ startMs, endMs: override.endMs ?? endsOf(event)(startMs) });
  const overrides = [...others, override].sort(
    (one, other) => one.occurrenceStartMs - other.occurrenceStartMs,
  );
  const people = overrides.reduce((sum, one) => sum + (one.attendees?.length ?? 0), 0);
  if (overrides.length > eventLimits.overrides || people > eventLimits.overrideAttendees)
    throw tooMany('occurrenceStartMs');
  requireSize({ ...event, overrides });
  return { overrides };
}

/** The series without one of its occurrences. @throws Problem INVALID_REQUEST */
export function withoutOccurrence(event: Repeating, startMs: number): Partial<EventRecord> {
  const { recurrence, overrides } = event;
  const exceptMs = [...new Set([...recurrence.exceptMs, startMs])].sort((a, b) => a - b);
  if (exceptMs.length > recurrenceLimits.exceptions) throw tooMany('occurrenceStartMs');
  return {
    recurrence: { ...recurrence, exceptMs },
    overrides: overrides.filter((one) => one.occurrenceStartMs !== startMs),
  };
}

const tooMany = (field: string) =>
  invalidField(
    field,
    'trop d’occurrences modifiées ; divisez la série',
    'too many occurrences are changed: split the series',
  );

/** A rule cannot begin at an occurrence that is none of its own. */
const splitElsewhere = invalidField(
  'occurrenceStartMs',
  'une occurrence de la règle est attendue, non une date ajoutée',
  'expected an occurrence of the rule, not an added one',
);

/** A series that is split: its first part, and all from an occurrence on. */
export interface Split {
  /** Null when that occurrence is the first. */
  readonly before: Partial<EventRecord> | null;
  readonly from: EventRecord;
}

/** Splits a series at one of its occurrences. */
export function splitAt(event: Repeating, startMs: number, asked: SeriesAnswers): Split {
  const { recurrence, overrides } = event;
  const isBefore = (one: EventOverride): boolean => one.occurrenceStartMs < startMs;
  const { exceptMs, addedMs } = recurrence;
  if (addedMs.includes(startMs)) throw splitElsewhere;
  return {
    before:
      startMs <= event.startMs
        ? null
        : {
            recurrence: {
              ...recurrence,
              ...{
                count: null,
                untilMs: startMs - 1,
                exceptMs: exceptMs.filter((ms) => ms < startMs),
                addedMs: addedMs.filter((ms) => ms < startMs),
              },
            },
            overrides: overrides.filter(isBefore),
          },
    from: {
      ...event,
      startMs,
      endMs: endsOf(event)(startMs),
      recurrence: {
        ...recurrence,
        count: countFrom({ rule: recurrence, startMs: event.startMs }, startMs, asked),
        exceptMs: exceptMs.filter((ms) => ms >= startMs),
        addedMs: addedMs.filter((ms) => ms >= startMs),
      },
      overrides: overrides.filter((one) => !isBefore(one)),
    },
  };
}
