const comments = /\([^()]*\)/g;
const mailDate =
  /(\d{1,2})[\s-]+([a-z]{3})[a-z]*[\s-]+(\d{2,4})[\s,]+(\d{1,2})\s*:\s*(\d{2})(?:\s*:\s*(\d{2}))?\s*(?:([+-])(\d{2}):?(\d{2})|([a-z]+))?/i;
const isoDate = /^\d{4}-\d{2}-\d{2}T[\d:.]+(?:Z|[+-]\d{2}:?\d{2})$/i;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** RFC 5322 §4.3: zones that were once named; any other name says nothing and counts as UTC. */
const namedZoneHours: Readonly<Record<string, number>> = {
  edt: -4,
  est: -5,
  cdt: -5,
  cst: -6,
  mdt: -6,
  mst: -7,
  pdt: -7,
  pst: -8,
};

/**
 * The instant of a `Date` header (RFC 5322 §3.3 and §4.3) as ISO 8601 in UTC, null if it is none.
 * `Date.parse` is not asked: it reads a date without a zone in the server's own.
 */
export function sentAtOf(header: string): string | null {
  const value = header.slice(0, 200).replace(comments, ' ').trim();
  if (isoDate.test(value)) return utcText(Date.parse(value));
  const match = mailDate.exec(value);
  return match === null ? null : utcText(instantOf(match));
}

/** Epoch milliseconds, NaN if there is no such day or time. */
function instantOf(match: RegExpExecArray): number {
  const [, day, month = '', year = '', hour, minute, second, ...zone] = match;
  const monthIndex = months.indexOf(month.toLowerCase());
  const midnight = new Date(Date.UTC(fullYear(year), monthIndex, Number(day)));
  const isDay = midnight.getUTCMonth() === monthIndex && midnight.getUTCDate() === Number(day);
  const time = { hour: Number(hour), minute: Number(minute), second: Number(second ?? 0) };
  if (!isDay || time.hour > 23 || time.minute > 59 || time.second > 60) return NaN;
  const minutes = time.hour * 60 + time.minute - zoneMinutes(zone);
  return midnight.getTime() + (minutes * 60 + time.second) * 1000;
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return digits.length === 2 && year < 50 ? 2000 + year : 1900 + year;
}

function zoneMinutes(zone: readonly (string | undefined)[]): number {
  const [sign, hours, minutes, name] = zone;
  if (name !== undefined) return (namedZoneHours[name.toLowerCase()] ?? 0) * 60;
  if (hours === undefined || minutes === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

/** The years that ISO 8601 and PostgreSQL write alike. */
function utcText(milliseconds: number): string | null {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString() : null;
}
