const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making one costs a hundred times as much as using it; the zones are those of the runtime, some 600. */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', calendar: 'gregory', numberingSystem: 'latn', era: 'short' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formatters.set(timeZone, made);
  return made;
}

/** What the clocks of a zone show at a moment, as if it were UTC (epoch milliseconds). */
export function wallClock(ms: number, timeZone: string): number {
  const parts = Object.fromEntries(
    formatterOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const milliseconds = ((ms % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second) + milliseconds;
}

const dayMs = 86_400_000;

/**
 * The moment at which the clocks of a zone show a time. A time that exists twice is the first, and one that
 * does not exist is read with the offset before the gap (RFC 5545 §3.3.5).
 */
export function momentOf(wallMs: number, timeZone: string): number {
  const offsetAt = (ms: number): number => wallClock(ms, timeZone) - ms;
  const before = offsetAt(wallMs - dayMs);
  const after = offsetAt(wallMs + dayMs);
  const moments = [wallMs - before, wallMs - after].filter(
    (ms) => wallClock(ms, timeZone) === wallMs,
  );
  return moments.length > 0 ? Math.min(...moments) : wallMs - before;
}
