import type { Occurrence, ReminderDue } from '@postroom/contracts';
import { busyTimesOf, occurrencesOf, remindersOf, type Expandable } from './occurrences.js';

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

/** What of them takes place in the window. */
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
  readonly fromMs: number;
  readonly toMs: number;
  /** Times of one event, at most. */
  readonly max: number;
}

export type BusyTimes = readonly Pick<Occurrence, 'startMs' | 'endMs'>[];

export function expandWindow(task: WindowTask): ExpandedWindow {
  const { found, reminding, nowMs, ...window } = task;
  const due = reminding.flatMap((event) => remindersOf(event, nowMs));
  due.sort((one, other) => one.dueMs - other.dueMs);
  return { ...expanded(found, window), due };
}

export const busyTimes = ({ events, ...window }: BusyTask): BusyTimes =>
  events.flatMap((event) => busyTimesOf(event, window));

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
