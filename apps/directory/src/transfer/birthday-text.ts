import { isBirthday } from '@postroom/contracts';

const two = (digits: string | undefined): string => (digits ?? '').padStart(2, '0');

/** ISO 8601 in its two spellings, with a time or without, and without a year (RFC 6350 §4.3.1). */
const iso = /^(\d{4}|-)-?(\d\d)-?(\d\d)(?:[T ].*)?$/s;

/** A day as people write it, with a year: `31.1.1990`, `1/31/1990`. */
const written = /^(\d{1,2})([./-])(\d{1,2})\2(\d{4})$/;

/**
 * A birthday from the text of a file; a text that is none, or may be one of two days, stays as it is.
 * @param isDayFirst whether its language has the day before the month; where not, `3/4/1990` says nothing
 */
export function birthdayIn(text: string, isDayFirst = false): string {
  const [, year, month, day] = iso.exec(text) ?? [];
  if (year !== undefined) return `${year}-${two(month)}-${two(day)}`;
  const [, one, sign, other, inYear] = written.exec(text) ?? [];
  const [dayFirst, monthFirst] = [
    `${inYear}-${two(other)}-${two(one)}`,
    `${inYear}-${two(one)}-${two(other)}`,
  ];
  if (isDayFirst || sign === '.') return isBirthday(dayFirst) ? dayFirst : text;
  const possible = [...new Set([dayFirst, monthFirst])].filter(isBirthday);
  return possible.length === 1 ? (possible[0] ?? text) : text;
}
