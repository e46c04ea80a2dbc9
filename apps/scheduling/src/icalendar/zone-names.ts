import { WINDOWS_TO_IANA_MAP } from 'windows-iana';
import { LRUCache } from 'lru-cache';
import { isTimeZone, spelledZone, wallClock } from '@postroom/contracts';

/** Longer names are none. */
const nameMax = 200;

/** The zones of Windows, and the city that stands for each. */
export const citiesOfWindows = WINDOWS_TO_IANA_MAP.filter(({ territory }) => territory === '001');
const windowsZones = new Map(
  citiesOfWindows.map(({ windowsName, iana }) => [windowsName.toLowerCase(), iana[0]]),
);

const keyOf = (city: string): string =>
  city
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, ' ')
    .trim();

/** Zones by their cities, with the names of India that the runtime writes otherwise. */
const cities = new Map(
  [...Intl.supportedValuesOf('timeZone'), 'Asia/Kolkata', 'Asia/Kathmandu']
    .filter((zone) => zone.includes('/'))
    .map((zone) => [keyOf(zone.slice(zone.lastIndexOf('/') + 1)), zone] as const),
);

/** Names that Microsoft gives places in `… Time (US & Canada)` and in lists of cities, by the zone of Windows. */
const places = new Map<string, string>([
  ['hawaii', 'hawaiian standard time'],
  ['alaska', 'alaskan standard time'],
  ['arizona', 'us mountain standard time'],
  ['indiana east', 'us eastern standard time'],
  ['greenwich mean', 'gmt standard time'],
  ['beijing', 'china standard time'],
  ['brasilia', 'e south america standard time'],
  ['abu dhabi', 'arabian standard time'],
  ['osaka', 'tokyo standard time'],
  ['canberra', 'aus eastern standard time'],
  ['islamabad', 'pakistan standard time'],
  ['chennai', 'india standard time'],
]);

/** The offset that a name begins with or is, in milliseconds; null for none. */
export function offsetNamed(name: string): number | null {
  const found = /(?:^|\b|\()(?:UTC|GMT)?\s*([+-])\s?(\d{1,2})(?:[:.]?(\d\d))?(?!\d)/i.exec(
    name.slice(0, nameMax),
  );
  if (!found) return null;
  const ms = (Number(found[2]) * 60 + Number(found[3] ?? 0)) * 60_000;
  return ms > 15 * 3_600_000 ? null : ms * (found[1] === '-' ? -1 : 1);
}

/**
 * IANA's name of the zone that a calendar names, be it as IANA does, as Windows does, or as Exchange shows it
 * (`(UTC+01:00) Amsterdam, Berlin`), within whatever a library puts around it; null for none.
 */
export function zoneNamed(given: string): string | null {
  const name = given.trim().replaceAll(/^"|"$/g, '');
  if (name === '' || name.length > nameMax) return null;
  const found = known.get(name) ?? { zone: zoneOf(name) };
  known.set(name, found);
  return found.zone;
}

/** Names that were asked for: the runtime takes a tenth of a millisecond for one, and a file repeats it in each line. */
const known = new LRUCache<string, { readonly zone: string | null }>({ max: 1_000 });

function zoneOf(name: string): string | null {
  if (isTimeZone(name)) return spelledZone(name);
  const offsetMs = /^\((?:UTC|GMT)/i.test(name) ? offsetNamed(name) : null;
  const rest = name.replace(/^\((?:UTC|GMT)[^)]*\)\s*/i, '');
  return windowsZone(rest) ?? zoneWithin(rest) ?? zoneOfCities(rest, offsetMs);
}

function windowsZone(name: string): string | null {
  const plain = name.toLowerCase();
  const zone = windowsZones.get(plain.replace(/ (?:daylight|summer) time$/, ' standard time'));
  if (zone !== undefined) return zone;
  const [, place] = /^(.+?) time\b/.exec(plain) ?? [];
  return windowsZones.get(`${place} standard time`) ?? null;
}

/** The continents that names of zones begin with. */
const areas =
  'Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US';
const within = new RegExp(`(?:^|[^A-Za-z])((?:${areas})/[A-Za-z_+0-9-]+(?:/[A-Za-z_-]+)?)`, 'i');

/** A zone of IANA with something before or behind it. */
function zoneWithin(name: string): string | null {
  if (/(?:^|[^a-z])(?:utc|gmt|z)$/i.test(name)) return 'UTC';
  let [, found = ''] = within.exec(name) ?? [];
  while (found.includes('/')) {
    if (isTimeZone(found)) return spelledZone(found);
    found = found.replace(/[/_+0-9-][^/_+0-9-]*$/, '');
  }
  return null;
}

/** The zone of the first city of a list that is known, and has the offset that stands before it. */
function zoneOfCities(list: string, offsetMs: number | null): string | null {
  const found = list
    .split(/[,;:/]/)
    .slice(0, 10)
    .map(keyOf)
    .map((key) => cities.get(key) ?? windowsOfPlace(key))
    .find((zone) => zone !== undefined && (offsetMs === null || hasOffset(zone, offsetMs)));
  return found ?? null;
}

const byKey = new Map([...windowsZones].map(([name, zone]) => [keyOf(name), zone]));
const windowsOfPlace = (key: string): string | undefined =>
  byKey.get(places.get(key.replace(/ time$/, '')) ?? '');

/** True if the clocks of a zone are so far from UTC in winter or summer. */
const hasOffset = (zone: string, offsetMs: number): boolean =>
  [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)].some(
    (ms) => wallClock(ms, zone) - ms === offsetMs,
  );
