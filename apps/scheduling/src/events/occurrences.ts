import type { EventOverride, Occurrence, ReminderDue } from '@postroom/contracts';
import { momentOf, wallClock } from '@postroom/contracts/recurrence/wall-clock';
import { KnownStarts } from '../recurrence/known-starts.js';
import type { Span, StoredEvent } from './event-record.js';
import { endsOf, timesOf } from './override-times.js';

/** An event with its last start by the rule, as it is stored. */
export type SpannedEvent = StoredEvent & Pick<Span, 'lastStartMs'>;

/** The parts of an event that its occurrences are made of. */
export interface Expandable extends Pick<
  SpannedEvent,
  | 'id'
  | 'calendarId'
  | 'status'
  | 'busy'
  | 'timeZone'
  | 'allDay'
  | 'startMs'
  | 'endMs'
  | 'recurrence'
  | 'reminders'
  | 'lastStartMs'
> {
  readonly overrides: readonly Pick<
    EventOverride,
    'occurrenceStartMs' | 'startMs' | 'endMs' | 'timeZone' | 'allDay' | 'status' | 'busy'
  >[];
}

interface Window {
  readonly fromMs: number;
  readonly toMs: number;
  readonly max: number;
}

/** The occurrences of an event that touch a window, by start, at most `max`; cancelled ones are left out. */
export function occurrencesOf(event: Expandable, window: Window): readonly Occurrence[] {
  const { id: eventId, calendarId, overrides } = event;
  if (event.status === 'cancelled') return [];
  const endOf = endsOf(event);
  const changed = new Set(overrides.map(({ occurrenceStartMs }) => occurrenceStartMs));
  const regular = startsOf(event, { ...window, max: window.max + changed.size })
    .filter((startMs) => !changed.has(startMs))
    .map((startMs) => ({ occurrenceStartMs: startMs, startMs, endMs: endOf(startMs) }));
  const otherwise = overrides
    .filter(({ status }) => status !== 'cancelled')
    .map((one) => ({
      occurrenceStartMs: one.occurrenceStartMs,
      ...timesOf(one, endOf),
    }));
  return [...regular, ...otherwise]
    .filter(({ startMs, endMs }) => startMs <= window.toMs && endMs >= window.fromMs)
    .sort((one, other) => one.startMs - other.startMs)
    .slice(0, window.max)
    .map((times) => ({ eventId, calendarId, ...times }));
}

const known = new KnownStarts();

function startsOf(event: Expandable, { fromMs, toMs, max }: Window): readonly number[] {
  const { recurrence: rule, startMs, endMs, lastStartMs } = event;
  if (!rule) return [startMs];
  // A day more, in which clocks may change.
  const window = { fromMs: fromMs - (endMs - startMs) - dayMs, toMs, max };
  return known.between({ rule, startMs }, window, lastStartMs);
}

/** Reminders of an event that are due, of occurrences that have not ended. */
export function remindersOf(event: Expandable, nowMs: number): readonly ReminderDue[] {
  const minutes = event.reminders.map((one) => one.minutes);
  if (minutes.length === 0) return [];
  const toMs = nowMs + Math.max(...minutes) * 60_000;
  return occurrencesOf(event, { fromMs: nowMs, toMs, max: remindedMax }).flatMap(
    ({ eventId, occurrenceStartMs, startMs, endMs }) =>
      minutes
        .map((before) => ({ minutes: before, dueMs: startMs - before * 60_000 }))
        .filter(({ dueMs }) => dueMs <= nowMs && endMs > nowMs)
        .map((due) => ({ eventId, occurrenceStartMs, ...due })),
  );
}

/** Occurrences of one event that reminders are looked for in. */
const remindedMax = 100;

const dayMs = 86_400_000;
/** Events that are shorter take no time: one without an end has a millisecond. */
const momentMs = 1000;

/** When an event makes its people busy; whole days are those of a zone. */
function busyTimesOf(event: Expandable, zone: string, window: Window): BusyTimes {
  const overrides = new Map(event.overrides.map((one) => [one.occurrenceStartMs, one]));
  return occurrencesOf(event, window).flatMap(({ occurrenceStartMs, startMs, endMs }) => {
    const changed = overrides.get(occurrenceStartMs);
    const { busy, allDay } = { ...event, ...changed };
    if (!busy || endMs - startMs < momentMs) return [];
    const own = changed?.timeZone ?? event.recurrence?.timeZone ?? event.timeZone;
    const times = { startMs, endMs };
    return [allDay ? daysIn(zone, times, own) : times];
  });
}

/** The days of a zone that have the dates which days of another zone have there. */
function daysIn(zone: string, { startMs, endMs }: Times, own: string): Times {
  const first = Math.floor(wallClock(startMs, own) / dayMs);
  const end = Math.ceil(wallClock(endMs, own) / dayMs);
  return { startMs: momentOf(first * dayMs, zone), endMs: momentOf(end * dayMs, zone) };
}

/** Events of a window, and those whose reminders may be due. */
export interface WindowTask {
  readonly found: readonly Expandable[];
  readonly reminding: readonly Expandable[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly nowMs: number;
  /** Occurrences that are shown. */
  readonly shownMax: number;
}

/** The expanded window. */
export interface ExpandedWindow {
  /** Ids of the events that do. */
  readonly here: readonly string[];
  /** At least one more than are shown. */
  readonly first: readonly Occurrence[];
  readonly due: readonly ReminderDue[];
}

/** Events that may make people busy in a window. */
export interface BusyTask {
  readonly events: readonly Expandable[];
  /** The zone in whose days an event of whole days makes busy. */
  readonly timeZone: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Times of one event, at most. */
  readonly max: number;
}

type Times = Pick<Occurrence, 'startMs' | 'endMs'>;
export type BusyTimes = readonly Times[];

export function expandWindow(task: WindowTask): ExpandedWindow {
  const { found, reminding, nowMs, ...window } = task;
  const due = reminding.flatMap((event) => remindersOf(event, nowMs));
  due.sort((one, other) => one.dueMs - other.dueMs);
  return { ...expanded(found, window), due };
}

export const busyTimes = ({ events, timeZone, ...window }: BusyTask): BusyTimes =>
  events.flatMap((event) => busyTimesOf(event, timeZone, window));

/**
 * The events that take place in a window, and at least one more of its first occurrences than are shown. An
 * event is expanded no further than what the events before it have filled: a thousand series in a window of a
 * century would take minutes.
 */
function expanded(
  found: readonly Expandable[],
  { fromMs, toMs, shownMax }: Pick<WindowTask, 'fromMs' | 'toMs' | 'shownMax'>,
): Pick<ExpandedWindow, 'here' | 'first'> {
  const max = shownMax + 1;
  const here: string[] = [];
  let first: Occurrence[] = [];
  let filledMs = toMs;
  for (const event of found) {
    const occurrences = occurrencesOf(event, { fromMs, toMs: filledMs, max });
    const isHere =
      occurrences.length > 0 ||
      (filledMs < toMs && occurrencesOf(event, { fromMs, toMs, max: 1 }).length > 0);
    if (isHere) here.push(event.id);
    first.push(...occurrences);
    if (first.length < 2 * max) continue;
    first = first.sort(byStart).slice(0, max);
    filledMs = first.at(-1)?.startMs ?? toMs;
  }
  return { here, first: first.sort(byStart) };
}

const byStart = (one: Occurrence, other: Occurrence): number =>
  one.startMs - other.startMs || (one.eventId < other.eventId ? -1 : 1);
