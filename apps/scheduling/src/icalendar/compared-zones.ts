import { wallClock } from '@postroom/contracts';
import { offsetAt, type Clocks, type ZoneDefinition } from './zone-definition.js';
import { citiesOfWindows } from './zone-names.js';

/** Cities that stand for the zones of Windows, and then every zone: of several that fit the first is taken. */
export const candidates = [
  ...citiesOfWindows.flatMap(({ iana }) => iana),
  ...Intl.supportedValuesOf('timeZone'),
];

const dayMs = 86_400_000;

/** False where a look at the beginning and at the summer shows already that clocks are others. */
export const isLike = (name: string, clocks: Clocks, year: number): boolean =>
  [clocks.fromMs, Math.max(clocks.fromMs, Date.UTC(year, 6))].every(
    (ms) => wallClock(ms, name) - ms === offsetAt(clocks, ms),
  );

/** True if clocks go as those of a known zone, from when something is said of them. */
export function isSame({ fromMs, offsetMs, changes }: Clocks, known: Clocks): boolean {
  const later = known.changes.filter(({ atMs }) => atMs > fromMs);
  const real = changes.filter(({ beforeMs, afterMs }) => beforeMs !== afterMs);
  const own = real.filter(({ atMs }) => atMs > fromMs);
  return (
    offsetAt({ fromMs, offsetMs, changes }, fromMs) === offsetAt(known, fromMs) &&
    own.length === later.length &&
    own.every(({ atMs, afterMs }, i) => later[i]?.atMs === atMs && later[i].afterMs === afterMs)
  );
}

/**
 * The zone whose clocks are nearest to those of a definition in the year after a start: at that first of all, so
 * that the series begins when it says. One that the definition is called by goes before others.
 */
export function nearestTo(
  zone: ZoneDefinition,
  startWall: number,
  hints: readonly string[],
): string {
  const startMs = zone.momentOf(startWall);
  const moments = [0, 91, 182, 273].map((days) => startMs + days * dayMs);
  const offsets = moments.map((ms) => zone.offsetAt(ms));
  let [best, least] = ['UTC', Number.POSITIVE_INFINITY];
  for (const name of [...hints, ...citiesOfWindows.flatMap(({ iana }) => iana)]) {
    const apart = moments.map((ms, i) => Math.abs(wallClock(ms, name) - ms - (offsets[i] ?? 0)));
    const [atStart = 0] = apart;
    const all = apart.reduce((sum, one) => sum + one, 100 * atStart);
    if (all < least) [best, least] = [name, all];
    if (all === 0) break;
  }
  return best;
}
