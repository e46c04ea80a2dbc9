import { eventLimits, reminderMinutesMax, type Reminder } from '@postroom/contracts';
import type { Tell } from './event-parts.js';
import {
  durationOf,
  oneOf,
  textIn,
  timesOf,
  Unreadable,
  type CalendarTime,
  type Component,
} from './jcal.js';

/** The times of an event that alarms go by. */
interface Alarmed {
  readonly start: CalendarTime;
  readonly endMs: number;
  readonly isSeries: boolean;
}

/** Alarms as reminders: what minutes before the start can say. The rest is told. */
export function remindersIn(event: Component, alarmed: Alarmed, tell: Tell): Reminder[] {
  // Apple writes an alarm of no action where there is none.
  const alarms = event[2].filter(
    (one) => one[0] === 'valarm' && textIn(one, 'action').toUpperCase() !== 'NONE',
  );
  const minutes = alarms.map((alarm) => minutesBefore(alarm, alarmed));
  const kept = [...new Set(minutes.filter((one) => one !== null))].slice(0, eventLimits.reminders);
  const leftOut = minutes.filter((one) => one === null || !kept.includes(one)).length;
  if (leftOut > 0) tell(`${leftOut} of alarms left out: not so many minutes before the start`);
  return kept.map((one) => ({ minutes: one }));
}

function minutesBefore(alarm: Component, { start, endMs, isSeries }: Alarmed): number | null {
  const trigger = oneOf(alarm, 'trigger');
  if (!trigger) return null;
  try {
    const minutes = (start.ms - momentOfTrigger(trigger, { start, endMs, isSeries })) / 60_000;
    const isKept = Number.isInteger(minutes) && minutes >= 0 && minutes <= reminderMinutesMax;
    return isKept ? minutes : null;
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** @throws Unreadable */
function momentOfTrigger(
  trigger: NonNullable<ReturnType<typeof oneOf>>,
  { start, endMs, isSeries }: Alarmed,
): number {
  if (trigger[2] !== 'duration') {
    // A moment is one of a single occurrence.
    const [name, , , ...values] = trigger;
    const [time] = isSeries ? [] : timesOf([name, {}, 'date-time', ...values]);
    return time?.ms ?? Number.NaN;
  }
  const { daysMs, exactMs } = durationOf(String(trigger[3]));
  const isOfEnd = String(trigger[1]['related']).toUpperCase() === 'END';
  return (isOfEnd ? endMs : start.ms) + daysMs + exactMs;
}
