import { momentOf, wallClock } from '@postroom/contracts';
import type { CalendarTime } from './jcal.js';

const dayMs = 86_400_000;
const timeOfDay = (wallMs: number): number => ((wallMs % dayMs) + dayMs) % dayMs;

/** The parts of a series that say which of its occurrences a time names. */
export interface NamedSeries {
  readonly startMs: number;
  readonly timeZone: string;
  readonly allDay: boolean;
}

const onDay = (wallMs: number, { startMs, timeZone }: NamedSeries): number =>
  momentOf(wallMs - timeOfDay(wallMs) + timeOfDay(wallClock(startMs, timeZone)), timeZone);

/** The start of an occurrence that a file adds to a series (RDATE): a day is that day, at the time of the series. */
export function occurrenceAdded(time: CalendarTime, series: NamedSeries): number {
  const { wallMs, isDate, isFloating, timeZone } = time;
  if (isDate) return onDay(wallMs, series);
  // A midnight of the zone that was written in UTC means the nearest day.
  const isUtc = timeZone === 'UTC' && !isFloating;
  if (series.allDay) return onDay(isUtc ? Math.round(wallMs / dayMs) * dayMs : wallMs, series);
  return isFloating ? momentOf(wallMs, series.timeZone) : time.ms;
}

/**
 * The start, by the rule, of the occurrence that a file names in RECURRENCE-ID or EXDATE. Exporters write a day for
 * a series of times, midnight for a series of days (Office 365), and leave out the zone: a day names the occurrence
 * on that day, and so does a midnight where the series is at another time.
 */
export function occurrenceNamed(time: CalendarTime, series: NamedSeries): number {
  const { startMs, timeZone, allDay } = series;
  const ms = occurrenceAdded(time, series);
  if (time.isDate || allDay) return ms;
  const [own, start] = [wallClock(ms, timeZone), wallClock(startMs, timeZone)];
  if (timeOfDay(own) === timeOfDay(start)) return ms;
  const midnight = [time.wallMs, own].find((wallMs) => timeOfDay(wallMs) === 0);
  return midnight === undefined ? ms : onDay(midnight, series);
}
