/** Line ends of Unicode, and controls: other readers begin a line after some of them, and PostgreSQL keeps no NUL. */
const oddEnds = /[\v\f\u0085\u2028\u2029]/g;

const utf8 = new TextDecoder('utf-8', { fatal: true });
const windows1252 = new TextDecoder('windows-1252');

/** Text of UTF-8; null where bytes are not that. */
function utf8Of(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

/**
 * The lines of a calendar, each whole: what is folded is joined before it is decoded, since a fold may part the
 * bytes of one character (RFC 5545 §3.1). What is not UTF-8 is windows-1252, line by line.
 */
export function calendarText(bytes: Uint8Array): string {
  // One character a byte.
  const text = Buffer.from(bytes).toString('latin1').replaceAll(/\r\n?/g, '\n');
  const unfolded = Buffer.from(text.replaceAll(/\n[ \t]/g, ''), 'latin1');
  return utf8Of(unfolded) ?? unfolded.toString('latin1').split('\n').map(lineOf).join('\n');
}

function lineOf(latin1: string): string {
  const bytes = Buffer.from(latin1, 'latin1');
  return utf8Of(bytes) ?? windows1252.decode(bytes);
}

/** The lines of a text as our reader takes them; what is no line of a calendar is left out. */
export const tidyLines = (text: string): string[] =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\n[ \t]/g, '')
    .replaceAll('\0', '')
    .replaceAll(oddEnds, ' ')
    .split('\n')
    .flatMap(tidyLine);

const timed = /^(DTSTART|DTEND|RECURRENCE-ID|EXDATE|RDATE)((?:;(?:[^:"]|"[^"]*")*)?):(.*)$/i;

function tidyLine(line: string): string[] {
  const boundary = /^\s*(BEGIN|END)\s*:\s*([\w-]+)\s*$/i.exec(line);
  if (boundary) return [`${boundary[1]}:${boundary[2]}`];
  const [, name, parameters = '', value = ''] = timed.exec(line) ?? [];
  if (name !== undefined) return timeLines(name, parameters, value);
  // The text of a rule is read by our own reader; theirs refuses what it does not know, and all of the event with it.
  if (/^RRULE[;:]/i.test(line)) return [`${ruleProperty}${line.slice('RRULE'.length)}`];
  return /^[\w-]+[;:]/.test(line) ? [line] : [];
}

/** The property that holds the text of a rule once lines are tidy. */
export const ruleProperty = 'x-postroom-rule';

/** Times by their form, whatever their parameter says: eight digits are a day. */
function timeLines(name: string, parameters: string, value: string): string[] {
  if (/;VALUE=PERIOD(?:;|$)/i.test(parameters)) return [`${name}${parameters}:${value}`];
  const isSaidDate = /;VALUE=DATE(?:;|$)/i.test(parameters);
  const others = parameters.replaceAll(/;VALUE=[^;:"]*/gi, '');
  const all = value
    .split(',')
    .map((one) => plainTime(one, isSaidDate))
    .filter((one) => one !== '');
  const [days, times] = [all.filter(isDate), all.filter((one) => !isDate(one))];
  const days_ = days.length > 0 ? [`${name};VALUE=DATE:${days.join(',')}`] : [];
  return times.length > 0 ? [...days_, `${name}${others}:${times.join(',')}`] : days_;
}

const isDate = (text: string): boolean => /^\d{8}$/.test(text);

/** A time in the basic form of ISO 8601, which some write in the extended one, or without seconds. */
function plainTime(text: string, isSaidDate: boolean): string {
  const form = /^(\d{4})-?(\d\d)-?(\d\d)(?:[Tt ](\d\d):?(\d\d):?(\d\d)?(?:[.,]\d+)?([Zz]?))?$/;
  const [, year, month, day, hour, minute, second = '00', utc = ''] = form.exec(text.trim()) ?? [];
  if (year === undefined) return text.trim();
  const date = `${year}${month}${day}`;
  if (hour === undefined || isSaidDate) return date;
  return `${date}T${hour}${minute}${second}${utc.toUpperCase()}`;
}
