import {
  momentOf,
  wallClock,
  weekdays,
  type TimeSpan,
  type WorkingHours,
} from '@postroom/contracts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Times in order and without overlap, cut to a window. */
export function joined(times: readonly TimeSpan[], from: number, to: number): TimeSpan[] {
  const all: TimeSpan[] = [];
  const inWindow = times
    .map(({ startMs, endMs }) => ({ startMs: Math.max(startMs, from), endMs: Math.min(endMs, to) }))
    .filter(({ startMs, endMs }) => startMs < endMs)
    .sort((one, other) => one.startMs - other.startMs);
  for (const time of inWindow) {
    const last = all.at(-1);
    if (last && time.startMs <= last.endMs) last.endMs = Math.max(last.endMs, time.endMs);
    else all.push(time);
  }
  return all;
}

/** Working hours without the busy times; only spans that are long enough. */
export function freeTimes(
  working: readonly TimeSpan[],
  busy: readonly TimeSpan[],
  durationMs: number,
): TimeSpan[] {
  return working.flatMap(({ startMs, endMs }) => {
    const free: TimeSpan[] = [];
    let at = startMs;
    for (const taken of busy) {
      if (taken.endMs <= at || taken.startMs >= endMs) continue;
      free.push({ startMs: at, endMs: taken.startMs });
      at = Math.max(at, taken.endMs);
    }
    free.push({ startMs: at, endMs });
    return free.filter((time) => time.endMs - time.startMs >= durationMs);
  });
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Working hours of the days of a window, by the clocks of a zone. */
export function workingTimes(
  hours: readonly WorkingHours[],
  timeZone: string,
  { from, to }: { readonly from: number; readonly to: number },
): TimeSpan[] {
  const times: TimeSpan[] = [];
  const firstDay = Math.floor(wallClock(from, timeZone) / dayMs) * dayMs;
  for (let day = firstDay; day <= wallClock(to, timeZone); day += dayMs) {
    // 1 January 1970 was a Thursday.
    const weekday = weekdays[(Math.floor(day / dayMs) + 3) % 7];
    for (const one of hours.filter((given) => given.day === weekday)) {
      times.push({
        startMs: momentOf(day + minutesOf(one.from) * minuteMs, timeZone),
        endMs: momentOf(day + minutesOf(one.to) * minuteMs, timeZone),
      });
    }
  }
  return joined(times, from, to);
}
