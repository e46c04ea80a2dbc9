import { filled } from '@postroom/testing';

export const numbered = (i: number): string => String(i).padStart(6, '0');
/** A date of its own, each of another week. */
export const dated = (i: number): string =>
  new Date(Date.UTC(1990, 0, 1 + 7 * (i % 3_000))).toISOString().slice(0, 10).replaceAll('-', '');
const times =
  'DTSTART;TZID=Europe/Paris:20260327T090000\r\nDTEND;TZID=Europe/Paris:20260327T100000';

export type Long = readonly [before: string, part: Parameters<typeof filled>[0], after?: string];

/** Things of an event that may be as long as it. */
export const longs: Readonly<Record<string, Long>> = {
  'a title': ['SUMMARY:', 'a'],
  'a title of marks': ['SUMMARY:a', '\u0301\u0316'],
  'a title of backslashes': ['SUMMARY:', '\\'],
  'a description of escapes': ['DESCRIPTION:', '\\n'],
  descriptions: ['', 'DESCRIPTION:a\r\n'],
  'folded lines': ['DESCRIPTION:', 'a\r\n '],
  'lines of nothing': ['', '\r\n'],
  'lines that are none': ['', 'a\r\n'],
  parameters: ['SUMMARY', ';X=a', ':a'],
  'parameters of their own': ['SUMMARY', (i) => `;X${numbered(i)}=a`, ':a'],
  'parameters of many values': ['ATTENDEE;MEMBER=', '"a",', '"b":mailto:a@b.example'],
  'quotes in a parameter': ['ATTENDEE;CN=', '"', ':mailto:a@b.example'],
  'a quote that is not closed': ['ATTENDEE;CN="', 'a;', ':mailto:a@b.example'],
  'carets in a parameter': ['ATTENDEE;CN=', "^'", ':mailto:a@b.example'],
  attendees: ['', 'ATTENDEE:mailto:a@b.example\r\n'],
  'attendees of their own': ['', (i) => `ATTENDEE:mailto:${numbered(i)}@b.example\r\n`],
  'an attendee': ['ATTENDEE:mailto:', 'a', '@b.example'],
  'excepted days': ['EXDATE;TZID=Europe/Paris:', (i) => `${dated(i)}T090000,`, '20260327T090000'],
  'lines of excepted days': ['', (i) => `EXDATE;TZID=Europe/Paris:${dated(i)}T090000\r\n`],
  'excepted days in their own zones': [
    '',
    (i) => `EXDATE;TZID=Etc/GMT+${i % 13}:${dated(i)}T090000\r\n`,
  ],
  'excepted days in unknown zones': [
    '',
    (i) => `EXDATE;TZID=Nowhere ${numbered(i)}:20260327T090000\r\n`,
  ],
  'days of a rule': ['RRULE:FREQ=YEARLY;BYMONTHDAY=', '1,', '1'],
  'positions of a rule': ['RRULE:FREQ=YEARLY;BYDAY=MO;BYSETPOS=', '1,', '1'],
  'parts of a rule': ['RRULE:FREQ=YEARLY', ';INTERVAL=1'],
  rules: ['', 'RRULE:FREQ=YEARLY\r\n'],
  alarms: ['', 'BEGIN:VALARM\r\nTRIGGER:-PT5M\r\nEND:VALARM\r\n'],
  'an alarm of many triggers': ['BEGIN:VALARM\r\n', 'TRIGGER:-PT5M\r\n', 'END:VALARM'],
  'components in components': ['', 'BEGIN:VALARM\r\n'],
  ends: ['', 'END:VALARM\r\n'],
  'unknown properties': ['', (i) => `X-${numbered(i)}:a\r\n`],
  'a link': ['URL:https://', 'a'],
  'a duration': ['DURATION:P', '1', 'W'],
  'a uid': ['UID:', 'a'],
};

export const eventOf = ([before, part, after = '']: Long, length: number): string =>
  `BEGIN:VEVENT\r\nUID:u\r\nDTSTAMP:20260101T000000Z\r\n${times}\r\n${before}${filled(part, length)}${after}\r\nEND:VEVENT\r\n`;
