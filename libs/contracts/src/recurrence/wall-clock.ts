const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * Making one costs a hundred times as much as using it; the zones are those of the runtime, some 600. Letter
 * case does not count in their names, and would make a formatter for each spelling.
 */
function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const name = timeZone.toLowerCase();
  const known = formatters.get(name);
  if (known) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone, hourCycle: 'h23', calendar: 'gregory', numberingSystem: 'latn', era: 'short' },
    ...{ year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric', second: 'numeric' },
  });
  formatters.set(name, made);
  return made;
}

/** The wall clock of a zone at a moment, as if it were UTC (epoch milliseconds). */
export const wallClock = (ms: number, timeZone: string): number =>
  ms + (steadyOffset(Math.floor(ms / weekMs), timeZone) ?? shownAt(ms, timeZone) - ms);

const weekMs = 7 * 86_400_000;

/** Offsets of weeks, null where clocks change; as many as are remembered take some megabytes. */
const offsets = new Map<string, number | null>();
const offsetsMax = 20_000;

/**
 * The offset of a zone in a week (since 1970) in which its clocks do not change. Expanding a series asks for it
 * several times an occurrence, and asking Intl takes most of the time then. No zone has changed its clocks
 * twice within a week.
 */
function steadyOffset(week: number, timeZone: string): number | null {
  const key = `${timeZone} ${week}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  const [begin, end] = [week * weekMs, (week + 1) * weekMs];
  const offset = shownAt(begin, timeZone) - begin;
  const steady = shownAt(end, timeZone) - end === offset ? offset : null;
  if (offsets.size >= offsetsMax) offsets.clear();
  offsets.set(key, steady);
  return steady;
}

function shownAt(ms: number, timeZone: string): number {
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
export const momentOf = (wallMs: number, timeZone: string): number =>
  momentBy(wallMs, (ms) => wallClock(ms, timeZone) - ms);

/** The same by clocks of whatever kind. @param offsetAt what they are ahead of UTC at a moment */
export function momentBy(wallMs: number, offsetAt: (ms: number) => number): number {
  const before = offsetAt(wallMs - dayMs);
  const after = offsetAt(wallMs + dayMs);
  const moments = [wallMs - before, wallMs - after].filter((ms) => ms + offsetAt(ms) === wallMs);
  return moments.length > 0 ? Math.min(...moments) : wallMs - before;
}
