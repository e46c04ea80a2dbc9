const comments = /\([^()]*\)/g;
const isoDate =
  /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T\s]+(\d{1,2}:\d{2}(?::\d{2})?)(?:[.,]\d+)?\s*(Z|[+-]\d{2}:?\d{2})?)?$/i;
const time = /^(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?(am|pm)?$/i;
const offset = /^(?:gmt|utc?)?([+-])(\d{1,2}):?(\d{2})$/i;
const day = /^\d{1,2}(?:st|nd|rd|th)?$/i;
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

/** The parts of a date that were found. */
interface DateParts {
  day?: number;
  month?: number;
  year?: number;
  seconds?: number;
  zoneMinutes?: number | undefined;
}

/**
 * The instant of a `Date` header (RFC 5322 §3.3 and §4.3) as ISO 8601 in UTC, null if it is none. As in Python's
 * reader, its words may stand in any order (asctime's has the year last), and a date without a time is midnight.
 * `Date.parse` is not asked: it reads a date without a zone in the server's own.
 */
export function sentAtOf(header: string): string | null {
  const value = header.slice(0, 200).replace(comments, ' ').trim();
  const iso = isoDate.exec(value);
  return utcText(instantOf(foundIn(iso ? isoWords(iso) : wordsOf(value))));
}

const isoWords = ([
  ,
  y = '',
  m = '',
  d = '',
  at = '0:00',
  zone = 'z',
]: RegExpExecArray): string[] => [...[d, months[Number(m) - 1] ?? '', y, at, zone]];

/** Words of a date: `2-Jun-2026` is three, `10:00:00+0200` two. */
function wordsOf(value: string): string[] {
  return value
    .replace(/(\d{1,2})-([a-z]{3,9})-(\d{2,4})/i, '$1 $2 $3')
    .replace(/(\d)\s*:\s*(?=\d)/g, '$1:')
    .replace(/(:\d{2})\s*([+-]\d|[a-z])/gi, '$1 $2')
    .split(/[\s,]+/);
}

function foundIn(words: readonly string[]): DateParts {
  const found: DateParts = {};
  for (const word of words) readers.some((reads) => reads(found, word));
  return found;
}

/** Each takes a word for its part of a date, if it is one. */
const readers: readonly ((found: DateParts, word: string) => boolean)[] = [
  (found, word) => {
    const at = found.seconds === undefined ? time.exec(word) : null;
    if (at) found.seconds = secondsOf(at);
    return at !== null;
  },
  (found, word) => {
    const month = /^[a-z]+\.?$/i.test(word) ? months.indexOf(word.slice(0, 3).toLowerCase()) : -1;
    // The first of two is a weekday: `mar` in Spanish.
    if (month >= 0) found.month = month;
    return month >= 0;
  },
  (found, word) => {
    const isDay = found.day === undefined && day.test(word);
    if (isDay) found.day = Number.parseInt(word, 10);
    return isDay;
  },
  (found, word) => {
    const isYear = found.year === undefined && /^\d{2,4}$/.test(word);
    if (isYear) found.year = fullYear(word);
    return isYear;
  },
  (found, word) => {
    const zone = offset.exec(word);
    if (zone) found.zoneMinutes ??= minutesOf(zone);
    return zone !== null;
  },
  (found, word) => {
    const isHalf = found.seconds !== undefined && /^[ap]m$/i.test(word);
    if (isHalf) found.seconds = twelveHours(found.seconds ?? NaN, word);
    return isHalf;
  },
  (found, word) => {
    if (found.seconds !== undefined) found.zoneMinutes ??= namedMinutes(word);
    return true;
  },
];

const namedMinutes = (name: string): number | undefined => {
  const hours = namedZoneHours[name.toLowerCase()];
  return hours === undefined ? undefined : hours * 60;
};

function secondsOf([, hours, minutes, seconds = '0', half]: RegExpExecArray): number {
  const [h, m, s] = [Number(hours), Number(minutes), Number(seconds)];
  if (h > 23 || m > 59 || s > 60) return NaN;
  const all = h * 3600 + m * 60 + s;
  return half === undefined ? all : twelveHours(all, half);
}

function twelveHours(seconds: number, half: string): number {
  const inHalf = seconds % (12 * 3600);
  return seconds >= 13 * 3600 ? seconds : inHalf + (/^p/i.test(half) ? 12 * 3600 : 0);
}

const minutesOf = ([, sign, hours, minutes]: RegExpExecArray): number =>
  (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));

/** Epoch milliseconds, NaN if there is no such day or time. */
function instantOf({
  day = NaN,
  month = NaN,
  year = NaN,
  seconds = 0,
  zoneMinutes = 0,
}: DateParts): number {
  const midnight = new Date(Date.UTC(year, month, day));
  const isDay = midnight.getUTCMonth() === month && midnight.getUTCDate() === day;
  return isDay ? midnight.getTime() + (seconds - zoneMinutes * 60) * 1000 : NaN;
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length === 4) return year;
  return digits.length === 2 && year < 50 ? 2000 + year : 1900 + year;
}

/** The years that ISO 8601 and PostgreSQL write alike. */
function utcText(milliseconds: number): string | null {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString() : null;
}
