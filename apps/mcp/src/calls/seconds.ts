import { isRecord } from '../json.js';

/** Seconds until the year 5138, and milliseconds until March 1973: no call plans for either. */
const secondsMax = 100_000_000_000;

/**
 * Paths of the moments in arguments (`startMs`, `dueMs`) that are seconds: what would be filed for 1970. Models give
 * them often, and a person who reviews a number does not see it.
 */
export function secondsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (Array.isArray(value)) return value.flatMap((one, i) => secondsIn(one, [...path, String(i)]));
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([name, inner]) => secondsIn(inner, [...path, name]));
  }
  const isMoment = path.some((name) => name.endsWith('Ms'));
  return isMoment && typeof value === 'number' && value > 0 && value < secondsMax ? [path] : [];
}
