/** Minutes of a moment in a zone: `2027-06-12 09:00 (Europe/Paris)`. */
export function localTime(ms: number, timeZone: string): string {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(ms);
  return `${text} (${timeZone})`;
}

/** The zone that a record names, if there is such a zone. */
export function zoneOf(record: object, otherwise: string): string {
  const { timeZone } = record as { readonly timeZone?: unknown };
  if (typeof timeZone !== 'string' || timeZone === '') return otherwise;
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return timeZone;
  } catch {
    return otherwise;
  }
}

const moments = ['startMs', 'endMs', 'dueMs'] as const;

/** A number that a Date can say. */
const isMoment = (ms: unknown): ms is number => typeof ms === 'number' && Math.abs(ms) <= 8.64e15;

/**
 * A value with its times as people read them too (`startLocal` beside `startMs`), each in the zone of its own record,
 * else the workspace's (`decisions.md` §6): a person cannot check epoch milliseconds.
 */
export function withLocalTimes<T>(value: T, timeZone: string): T {
  if (Array.isArray(value)) return value.map((one: unknown) => withLocalTimes(one, timeZone)) as T;
  if (typeof value !== 'object' || value === null) return value;
  const zone = zoneOf(value, timeZone);
  const all = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => [
    [name, withLocalTimes(inner as unknown, zone)],
    ...(moments.some((one) => one === name) && isMoment(inner)
      ? [[name.replace('Ms', 'Local'), localTime(inner, zone)] as [string, unknown]]
      : []),
  ]);
  return Object.fromEntries(all) as T;
}

/** When something that is written takes place or is due, in words; empty where it says nothing of time. */
export function whenOf(record: object, timeZone: string): string {
  const { startMs, dueMs } = record as { readonly startMs?: unknown; readonly dueMs?: unknown };
  const zone = zoneOf(record, timeZone);
  if (isMoment(startMs)) return `at ${localTime(startMs, zone)}`;
  return isMoment(dueMs) ? `due ${localTime(dueMs, zone)}` : '';
}
