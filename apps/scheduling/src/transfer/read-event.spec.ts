import { describe, expect, it } from '@jest/globals';
import { readEvent } from './read-event.js';
import { Unreadable } from '../icalendar/index.js';

const event = (...lines: string[]): Buffer =>
  Buffer.from(['BEGIN:VEVENT', ...lines, 'END:VEVENT', ''].join('\r\n'));
const times = ['DTSTART:20260327T080000Z', 'DTEND:20260327T090000Z'];
const at = (text: string): number => Date.parse(text);

describe('an event of a calendar file', () => {
  it('is read in the form of Google', () => {
    const { uid, given } = readEvent(
      event(
        ...['DTSTART;TZID=Europe/Paris:20260327T090000', 'DTEND;TZID=Europe/Paris:20260327T100000'],
        ...['RRULE:FREQ=WEEKLY;WKST=SU;UNTIL=20260630T215959Z;BYDAY=FR'],
        ...['EXDATE;TZID=Europe/Paris:20260403T090000', 'DTSTAMP:20260301T101112Z'],
        'ORGANIZER;CN=Team:mailto:c_188@group.calendar.google.com',
        ...['UID:abc123@google.com', 'CREATED:20260301T101112Z', 'SEQUENCE:1', 'STATUS:CONFIRMED'],
        'ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=ACCEPTED;CN=ann@x.test;X-NUM-GU',
        ' ESTS=0:mailto:Ann@x.test',
        ...[
          'X-GOOGLE-CONFERENCE:https://meet.google.com/abc-defg-hij',
          'SUMMARY:Stand-up\\, daily',
        ],
        ...['TRANSP:OPAQUE', 'DESCRIPTION:a\\nb', 'BEGIN:VALARM', 'ACTION:DISPLAY'],
        ...['DESCRIPTION:x', 'TRIGGER:-P0DT0H10M0S', 'END:VALARM'],
      ),
    );
    expect(uid).toBe('abc123@google.com');
    expect(given).toMatchObject({
      ...{ title: 'Stand-up, daily', description: 'a\nb', timeZone: 'Europe/Paris', busy: true },
      ...{ startMs: at('2026-03-27T08:00:00Z'), endMs: at('2026-03-27T09:00:00Z') },
      attendees: [
        { email: 'ann@x.test', name: 'ann@x.test', role: 'required', status: 'accepted' },
      ],
      recurrence: {
        rrule: 'FREQ=WEEKLY;WKST=SU;UNTIL=20260630T215959Z;BYDAY=FR',
        exceptMs: [at('2026-04-03T07:00:00Z')],
      },
      reminders: [{ minutes: 10 }],
      conferenceLink: 'https://meet.google.com/abc-defg-hij',
    });
  });

  it('is read in the form of Outlook, with the zones of Windows', () => {
    const { given } = readEvent(
      event(
        ...['CLASS:PUBLIC', 'DTSTART;TZID="Romance Standard Time":20260701T140000'],
        ...['DTEND;TZID="Romance Standard Time":20260701T150000', 'SUMMARY;LANGUAGE=fr:Point'],
        ...['UID:040000008200E00074C5B7101A82E008', 'X-MICROSOFT-CDO-BUSYSTATUS:FREE'],
        ...['TRANSP:TRANSPARENT', 'PRIORITY:5', 'BEGIN:VALARM', 'TRIGGER:-PT15M'],
        ...['ACTION:DISPLAY', 'DESCRIPTION:Reminder', 'END:VALARM'],
      ),
    );
    expect(given).toMatchObject({
      ...{ title: 'Point', timeZone: 'Europe/Paris', busy: false, reminders: [{ minutes: 15 }] },
      ...{ startMs: at('2026-07-01T12:00:00Z'), endMs: at('2026-07-01T13:00:00Z') },
    });
  });

  it('is read in the form of Apple, whole days too', () => {
    const { given } = readEvent(
      event(
        ...['DTEND;VALUE=DATE:20260506', 'UID:6F0A', 'DTSTART;VALUE=DATE:20260504'],
        ...['X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC', 'SUMMARY:Fête', 'TRANSP:TRANSPARENT'],
        'URL;VALUE=URI:https://x.test/day',
      ),
    );
    expect(given).toMatchObject({
      ...{ title: 'Fête', allDay: true, timeZone: 'UTC', conferenceLink: 'https://x.test/day' },
      ...{ startMs: at('2026-05-04T00:00:00Z'), endMs: at('2026-05-06T00:00:00Z') },
    });
  });

  it.each([
    ['nonsense', Buffer.from('nonsense')],
    ['no bytes', Buffer.alloc(0)],
    ['a cut line', Buffer.from('BEGIN:VEVENT\r\nDTSTART;TZID="Europe/Par')],
    ['a card', Buffer.from('BEGIN:VCARD\r\nVERSION:4.0\r\nFN:x\r\nEND:VCARD\r\n')],
    ['no start', event('UID:x')],
    ['a zone that nobody knows', event('DTSTART;TZID=Mars/Olympus:20260327T080000')],
    ['an offset for a zone', event('DTSTART;TZID=+01:00:20260327T080000')],
    ['a day that does not exist', event('DTSTART:20260231T080000Z')],
    ['a time before 1970', event('DTSTART:19691231T080000Z')],
    ['two rules', event(...times, 'RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY')],
    ['occurrences beside a rule', event(...times, 'RDATE:20260401T080000Z')],
    [
      'all occurrences from one on',
      event(...times, 'RECURRENCE-ID;RANGE=THISANDFUTURE:20260327T080000Z'),
    ],
    [
      'components within components',
      event(...times, ...Array.from({ length: 9000 }, () => 'BEGIN:VALARM')),
    ],
    ['a UID of a thousand letters', event(...times, `UID:${'x'.repeat(1000)}`)],
  ])('is unreadable: %s', (_what, bytes) => {
    expect(() => readEvent(bytes)).toThrow(Unreadable);
  });

  it('has no line that another property could begin on', () => {
    const { given } = readEvent(
      event(...times, 'SUMMARY:a\\nb', 'LOCATION:a\\nb\u0000', 'ATTENDEE:mailto:nobody'),
    );
    expect([given.title, given.location, given.attendees]).toEqual(['a b', 'a\nb', []]);
  });

  it.each([
    ['SUMMARY', 200],
    ['DESCRIPTION', 10_000],
    ['LOCATION', 500],
  ])('is unreadable with a longer %s than an event may have, which is said', (name, max) => {
    const of = (length: number) => event(...times, `${name}:${'é'.repeat(length)}`);
    expect(() => readEvent(of(max))).not.toThrow();
    expect(() => readEvent(of(max + 1))).toThrow(`${name} longer than ${max} characters`);
  });

  it('is unreadable with more attendees than an event may have, which is said', () => {
    const of = (count: number) =>
      event(...times, ...Array.from({ length: count }, (_, i) => `ATTENDEE:mailto:p${i}@x.test`));
    expect(readEvent(of(500)).given.attendees).toHaveLength(500);
    expect(() => readEvent(of(501))).toThrow('more than 500 attendees');
  });

  it.each([
    ['no end', 'DTSTART:20260327T080000Z', '', 1],
    ['its start for an end', 'DTSTART:20260327T080000Z', 'DTEND:20260327T080000Z', 1],
    ['a duration of nothing', 'DTSTART:20260327T080000Z', 'DURATION:PT0S', 1],
    ['a day and no end', 'DTSTART;VALUE=DATE:20260327', '', 24 * 3_600_000],
    ['a day for its end', 'DTSTART;VALUE=DATE:20260327', 'DTEND;VALUE=DATE:20260327', 86_400_000],
  ])('ends after it starts with %s', (_what, start, end, lasts) => {
    const { given } = readEvent(event('UID:x', start, ...(end === '' ? [] : [end])));
    expect(given.endMs - given.startMs).toBe(lasts);
  });
});
