import { describe, expect, it } from '@jest/globals';
import { readEvent } from './read-event.js';
import { FileZones, Unreadable } from '../icalendar/index.js';

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
    ['a day that does not exist', event('DTSTART:20260231T080000Z')],
    ['a time before 1970', event('DTSTART:19691231T080000Z')],
    [
      'all occurrences from one on',
      event(...times, 'RECURRENCE-ID;RANGE=THISANDFUTURE:20260327T080000Z'),
    ],
    [
      'components within components',
      event(...times, ...Array.from({ length: 9000 }, () => 'BEGIN:VALARM')),
    ],
  ])('is unreadable: %s', (_what, bytes) => {
    expect(() => readEvent(bytes)).toThrow(Unreadable);
  });

  it('has no line that another property could begin on', () => {
    const { given } = readEvent(
      event(...times, 'SUMMARY:a\\nb', 'LOCATION:a\\nb\u0000', 'ATTENDEE:mailto:nobody'),
    );
    expect([given.title, given.location, given.attendees]).toEqual(['a b', 'a\nb', []]);
  });

  const people = (count: number) =>
    Array.from({ length: count }, (_, i) => `ATTENDEE:mailto:p${i}@x.test`);
  const alarm = (...lines: string[]) => ['BEGIN:VALARM', ...lines, 'END:VALARM'];
  const untold = /^1 of alarms left out/;

  it.each<[string, string[], RegExp[], object]>([
    [
      'a title',
      [`SUMMARY:${'é'.repeat(201)}`],
      [/^SUMMARY cut to 200/],
      { title: 'é'.repeat(200) },
    ],
    ['a place', [`LOCATION:${'é'.repeat(501)}`], [/^LOCATION cut/], { location: 'é'.repeat(500) }],
    ['attendees', people(501), [/^1 attendees left out/], {}],
    ['an alarm without a time', alarm('TRIGGER;RELATED=START:'), [untold], { reminders: [] }],
    ['an alarm of no form', alarm('TRIGGER:15M'), [untold], { reminders: [] }],
    ['an alarm after the start', alarm('TRIGGER:PT9H'), [untold], { reminders: [] }],
    [
      'an alarm before the end',
      alarm('TRIGGER;RELATED=END:-PT2H'),
      [],
      { reminders: [{ minutes: 60 }] },
    ],
    [
      'an alarm at a moment',
      alarm('TRIGGER;VALUE=DATE-TIME:20260327T074500Z'),
      [],
      { reminders: [{ minutes: 15 }] },
    ],
    ['an alarm of Apple that is none', alarm('ACTION:NONE', 'TRIGGER:PT1H'), [], { reminders: [] }],
    ['a line that is none', ['nonsense', 'ORGANIZER;CN="Bo:x'], [/^ORGANIZER left out/], {}],
    ['a second rule', ['RRULE:FREQ=DAILY;', 'RRULE:FREQ=WEEKLY'], [/^all but the first/], {}],
    ['excepted rules', ['EXRULE:FREQ=DAILY'], [/^EXRULE/], {}],
    ['a file', ['ATTACH:'], [/^ATTACH/], {}],
    ['a class of its own', ['CLASS:CONFIDENTIAL'], [], { visibility: 'private' }],
    [
      'a telephone before its link',
      ['CONFERENCE;VALUE=URI:tel:+331', 'CONFERENCE;VALUE=URI:https://a.test/b'],
      [],
      { conferenceLink: 'https://a.test/b' },
    ],
    [
      'people known by another URI',
      ['ORGANIZER;CN=Bo\u202e;EMAIL=bo@x.test:/1/principal/', 'ATTENDEE;EMAIL="Al@x.test":urn:x'],
      [],
      { organizer: { email: 'bo@x.test', name: 'Bo' }, attendees: [{ email: 'al@x.test' }] },
    ],
  ])('stays with %s, and tells what is not kept', (_what, lines, told, expected) => {
    const { given, warnings } = readEvent(event(...times, ...lines));
    expect(warnings).toEqual(told.map((one) => expect.stringMatching(one)));
    expect(given).toMatchObject(expected);
  });

  it('keeps the beginning of a long UID, and tells it from others', () => {
    const [one = '', other = ''] = ['a', 'b'].map(
      (end) => readEvent(event(...times, `UID:${'x'.repeat(400)}${end}`)).uid,
    );
    expect([one.length, one.slice(0, 100)]).toEqual([255, 'x'.repeat(100)]);
    expect(other).not.toBe(one);
  });

  it.each([
    ['UTF-8', Buffer.from('SUMMARY:Réunion “é” 日本 🙂')],
    ['Latin-1', Buffer.from('SUMMARY:Réunion équipe', 'latin1')],
    ['windows-1252', Buffer.from('SUMMARY:Réunion \x93é\x94 5 \x80', 'latin1')],
  ])('is read in %s, wherever its line is folded, within a letter too', (_what, line) => {
    const title = new TextDecoder(line.includes('日') ? 'utf-8' : 'windows-1252')
      .decode(line)
      .slice(8);
    const [before = '', after = ''] = event(...times, 'X')
      .toString()
      .split('X\r');
    for (let cut = 1; cut < line.length; cut++) {
      const pieces = [before, line.subarray(0, cut), '\r\n ', line.subarray(cut), `\r${after}`];
      const bytes = Buffer.concat(pieces.map((one) => Buffer.from(one)));
      expect(readEvent(bytes).given.title).toBe(title);
    }
  });

  const paris = (name: string, time: string) => `${name};TZID=Europe/Paris:${time}`;
  const weekly = [
    paris('DTSTART', '20260302T090000'),
    'DURATION:PT1H',
    'RRULE:FREQ=WEEKLY;COUNT=3',
  ];
  const days = ['DTSTART;VALUE=DATE:20260302', 'RRULE:FREQ=WEEKLY;COUNT=3'];
  it.each([
    ['a day', weekly, 'EXDATE;VALUE=DATE:20260309'],
    ['a day without VALUE', weekly, 'EXDATE:20260309'],
    ['a time of no zone', weekly, 'EXDATE:20260309T090000'],
    ['midnight', weekly, paris('EXDATE', '20260309T000000')],
    ['midnight in UTC', weekly, 'EXDATE:20260309T000000Z'],
    ['midnight of its zone, in UTC', weekly, 'EXDATE:20260308T230000Z'],
    ['a moment', weekly, 'EXDATE:20260309T080000Z'],
    ['another zone', weekly, 'EXDATE;TZID=America/New_York:20260309T040000'],
    ['the extended form', weekly, paris('EXDATE', '2026-03-09T09:00:00')],
    ['midnight of a day', days, paris('EXDATE', '20260309T000000')],
    ['midnight of a day in UTC', days, 'EXDATE:20260308T230000Z'],
    ['a time of a day', days, 'EXDATE:20260309T093000'],
    ['both forms', days, 'EXDATE:20260309,20260309T000000'],
  ])('has an occurrence excepted by %s', (_what, lines, exception) => {
    const { recurrence, allDay } = readEvent(event(...lines, exception)).given;
    const hour = allDay === true ? '00' : '08';
    expect(recurrence?.exceptMs).toEqual([at(`2026-03-09T${hour}:00:00Z`)]);
  });

  it.each([
    ['times', paris('RDATE', '20260305T090000,20260310T090000')],
    ['days', 'RDATE;VALUE=DATE:20260305,20260310'],
    ['periods', 'RDATE;VALUE=PERIOD:20260305T080000Z/PT2H,20260310T080000Z/20260310T090000Z'],
  ])('has %s added to it, with a rule or without', (_what, added) => {
    const [start = '', duration = '', rule = ''] = weekly;
    const addedMs = [at('2026-03-05T08:00:00Z'), at('2026-03-10T08:00:00Z')];
    const both = [readEvent(event(start, duration, added)), readEvent(event(start, rule, added))];
    expect(both.map(({ given }) => given.recurrence)).toMatchObject([
      { rrule: 'FREQ=DAILY;COUNT=1', addedMs },
      { rrule: 'FREQ=WEEKLY;COUNT=3', addedMs },
    ]);
  });

  it('is at floating times by the zone of the file, else of the workspace', () => {
    const bytes = event('DTSTART:20260701T090000', 'DTEND:20260701T100000');
    const startIn = (zones: FileZones) => readEvent(bytes, zones).given;
    const named = FileZones.in('X-WR-TIMEZONE:Eastern Standard Time\r\n', 'Asia/Tokyo');
    expect(startIn(named)).toMatchObject({ startMs: at('2026-07-01T13:00:00Z') });
    const own = { startMs: at('2026-07-01T00:00:00Z'), timeZone: 'Asia/Tokyo' };
    expect(startIn(FileZones.in('', 'Asia/Tokyo'))).toMatchObject(own);
  });

  it.each([
    [
      'a day of the clocks',
      paris('DTSTART', '20260328T120000'),
      'DURATION:P1D',
      '2026-03-29T10:00:00Z',
    ],
    ['24 hours', paris('DTSTART', '20260328T120000'), 'DURATION:PT24H', '2026-03-29T11:00:00Z'],
    ['a week', paris('DTSTART', '20260328T120000'), 'DURATION:P1W', '2026-04-04T10:00:00Z'],
    ['a day without VALUE', 'DTSTART:20260301', 'DTEND:20260302', '2026-03-02T00:00:00Z'],
    ['no end but a start behind it', 'DTSTART:20260301', 'DTEND:20260202', '2026-03-02T00:00:00Z'],
  ])('lasts %s', (_what, start, end, endsAt) => {
    expect(readEvent(event(start, end)).given.endMs).toBe(at(endsAt));
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
