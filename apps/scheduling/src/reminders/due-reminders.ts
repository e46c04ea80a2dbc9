import type { SpannedEvent } from '../events/index.js';
import { occurrencesOf } from '../events/index.js';
import type { StoredTask } from '../tasks/index.js';

/** A start that reminders come before. */
interface Start {
  /** For an occurrence of an event: its start by the rule of the series. */
  readonly occurrenceStartMs?: number;
  readonly startMs: number;
}

/** An event or a task, as its reminders see it. */
export interface Remindable {
  readonly minutes: readonly number[];
  readonly firstMs: number;
  /** Its last start; null for one without an end. */
  readonly lastMs: () => number | null;
  /** Its starts from one moment to another. */
  readonly starts: (fromMs: number, toMs: number) => readonly Start[];
}

/** A reminder and the moment when it is due. */
export interface Due extends Pick<Start, 'occurrenceStartMs'> {
  readonly dueMs: number;
  readonly minutes: number;
}

/** So much time is looked through at once: it holds at most that many occurrences by rule. */
export const spanMs = 32 * 86_400_000;

/** More than there are in a span beside all occurrences that are otherwise. */
const startsMax = 5_000;

/** An event with its reminders. */
export const remindableEvent = (event: SpannedEvent): Remindable => ({
  minutes: event.reminders.map(({ minutes }) => minutes),
  firstMs: Math.min(event.startMs, ...event.overrides.map((one) => one.startMs ?? event.startMs)),
  lastMs: () => lastOf(event),
  starts: (fromMs, toMs) =>
    occurrencesOf(event, { fromMs, toMs, max: startsMax })
      .filter(({ startMs }) => startMs >= fromMs)
      .map(({ occurrenceStartMs, startMs }) => ({ occurrenceStartMs, startMs })),
});

function lastOf({ recurrence, startMs, overrides, lastStartMs }: SpannedEvent): number | null {
  const last = recurrence ? lastStartMs : startMs;
  return last === null ? null : Math.max(last, ...overrides.map((one) => one.startMs ?? startMs));
}

/** A task with its reminders; one that is done or cancelled has none. */
export function remindableTask({ status, dueMs, reminders }: StoredTask): Remindable {
  const isOpen = status === 'todo' || status === 'in_progress';
  const startMs = dueMs ?? 0;
  return {
    minutes: isOpen && dueMs !== null ? reminders.map(({ minutes }) => minutes) : [],
    firstMs: startMs,
    lastMs: () => startMs,
    starts: (fromMs, toMs) => (startMs >= fromMs && startMs <= toMs ? [{ startMs }] : []),
  };
}

/** The outcome of one look at the reminders of a subject. */
export interface Look {
  /** Due since the last look, up to `toldMs`, in order. */
  readonly due: readonly Due[];
  readonly toldMs: number;
  /** When to look again; null for nothing to come. */
  readonly lookMs: number | null;
}

/** The reminders due since the last look, over at most {@link spanMs}, and when to look again. */
export function lookAt(subject: Remindable, toldMs: number, nowMs: number): Look {
  if (subject.minutes.length === 0) return { due: [], toldMs: nowMs, lookMs: null };
  const first = subject.firstMs - Math.max(...subject.minutes) * 60_000;
  const from = Math.max(toldMs, Math.min(first - 1, nowMs));
  const until = Math.min(nowMs, from + spanMs);
  const due = dueBetween(subject, from, until);
  if (until < nowMs) return { due, toldMs: until, lookMs: nowMs };
  return { due, toldMs: nowMs, lookMs: nextLook(subject, nowMs, first) };
}

/** The next reminder, if it comes within a span; the end of the span if there are any after it. */
function nextLook(subject: Remindable, nowMs: number, firstMs: number): number | null {
  if (firstMs > nowMs) return firstMs;
  const untilMs = nowMs + spanMs;
  const [next] = dueBetween(subject, nowMs, untilMs);
  if (next) return next.dueMs;
  const last = subject.lastMs();
  const isOver = last !== null && last - Math.min(...subject.minutes) * 60_000 <= untilMs;
  return isOver ? null : untilMs;
}

/** Reminders that are due after one moment, and at another at the latest. */
const dueBetween = ({ minutes, starts }: Remindable, afterMs: number, untilMs: number): Due[] =>
  [...new Set(minutes)]
    .flatMap((before) => {
      const beforeMs = before * 60_000;
      return starts(afterMs + beforeMs + 1, untilMs + beforeMs).map(
        ({ startMs, ...occurrence }) => ({
          ...{ ...occurrence, dueMs: startMs - beforeMs, minutes: before },
        }),
      );
    })
    .sort((one, other) => one.dueMs - other.dueMs);
