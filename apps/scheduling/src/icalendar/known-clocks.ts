import { wallClock } from '@postroom/contracts';
import type { Change, Clocks } from './zone-definition.js';

/** No zone has changed its clocks twice within so short a time since 1970. */
const stepMs = 7 * 86_400_000;

/** By zone and year, of the years that definitions are compared in: at most a hundred thousand, of some bytes each. */
const known = new Map<string, Clocks>();

/** The clocks of a zone of the runtime in a year. They are looked up once in the life of the process. */
export function clocksOfYear(name: string, year: number): Clocks {
  const key = `${name} ${year}`;
  const found = known.get(key) ?? lookedUp(name, year);
  known.set(key, found);
  return found;
}

/** True if the clocks of a zone in a year need not be looked up. */
export const isLookedUp = (name: string, year: number): boolean => known.has(`${name} ${year}`);

function lookedUp(name: string, year: number): Clocks {
  const [fromMs, toMs] = [Date.UTC(year, 0), Date.UTC(year + 1, 0)];
  const offsetAt = (ms: number): number => wallClock(ms, name) - ms;
  const offsetMs = offsetAt(fromMs);
  const changes: Change[] = [];
  let beforeMs = offsetMs;
  for (let at = fromMs; at < toMs; at += stepMs) {
    const endMs = Math.min(at + stepMs, toMs);
    const afterMs = offsetAt(endMs);
    if (afterMs === beforeMs) continue;
    changes.push({ atMs: changeBetween(at, endMs, offsetAt), beforeMs, afterMs });
    beforeMs = afterMs;
  }
  return { fromMs, offsetMs, changes };
}

/** When clocks change, to the second. */
export function changeBetween(
  fromMs: number,
  toMs: number,
  offsetAt: (ms: number) => number,
): number {
  let [low, high] = [Math.floor(fromMs / 1000), Math.floor(toMs / 1000)];
  const before = offsetAt(low * 1000);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
}
