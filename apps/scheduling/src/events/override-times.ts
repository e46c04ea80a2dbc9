import type { EventOverride } from '@postroom/contracts';
import { momentOf, wallClock } from '@postroom/contracts/recurrence/wall-clock';

interface Timed {
  readonly startMs: number;
  readonly endMs: number;
  readonly timeZone: string;
  readonly allDay: boolean;
  readonly recurrence: { readonly timeZone: string } | null;
}

/** The end of an occurrence by its start: whole days are those of the clocks, whatever these do within them. */
export function endsOf({ startMs, endMs, allDay, ...event }: Timed): (startMs: number) => number {
  if (!allDay) return (ms) => ms + endMs - startMs;
  const zone = event.recurrence?.timeZone ?? event.timeZone;
  const lastsMs = wallClock(endMs, zone) - wallClock(startMs, zone);
  return (ms) => momentOf(wallClock(ms, zone) + lastsMs, zone);
}

/** When a changed occurrence takes place. */
export function timesOf(
  {
    occurrenceStartMs,
    startMs = occurrenceStartMs,
    endMs,
  }: Pick<EventOverride, 'occurrenceStartMs' | 'startMs' | 'endMs'>,
  endOf: (startMs: number) => number,
): { readonly startMs: number; readonly endMs: number } {
  return { startMs, endMs: endMs ?? endOf(startMs) };
}
