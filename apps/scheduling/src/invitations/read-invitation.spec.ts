import { describe, expect, it } from '@jest/globals';
import { readInvitation } from './read-invitation.js';
import { Unreadable } from '../icalendar/index.js';

const lines = (...all: readonly string[]): string => all.join('\r\n');
const request = (...own: readonly string[]): string =>
  lines(
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'METHOD:REQUEST', 'BEGIN:VEVENT', 'UID:u@x.test'],
    ...['DTSTAMP:20261120T080000Z', ...own, 'END:VEVENT', 'END:VCALENDAR', ''],
  );

describe('readInvitation', () => {
  it('reads what Google sends', () => {
    const text = lines(
      ...['BEGIN:VCALENDAR', 'PRODID:-//Google Inc//Google Calendar 70.9054//EN', 'VERSION:2.0'],
      ...['CALSCALE:GREGORIAN', 'METHOD:REQUEST', 'BEGIN:VEVENT', 'DTSTART:20261124T090000Z'],
      ...['DTEND:20261124T093000Z', 'DTSTAMP:20261120T101500Z'],
      'ORGANIZER;CN=Ada:mailto:ada@acme.test',
      'UID:4k2@google.com',
      'ATTENDEE;CUTYPE=INDIVIDUAL;ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=',
      ' TRUE;CN=max@acme.test;X-NUM-GUESTS=0:mailto:max@acme.test',
      ...['SEQUENCE:2', 'STATUS:CONFIRMED', 'SUMMARY:Stand-up\\, daily', 'LOCATION:Room 1'],
      ...['DESCRIPTION:One\\nTwo', 'TRANSP:OPAQUE', 'END:VEVENT', 'END:VCALENDAR', ''],
    );
    const attendee = { email: 'max@acme.test', name: 'max@acme.test', role: 'required' };
    expect(readInvitation(text)).toEqual({
      ...{ method: 'REQUEST', uid: '4k2@google.com' },
      parts: [
        {
          ...{ occurrenceMs: null, isOfFollowing: false, sequence: 2 },
          stampMs: Date.parse('2026-11-20T10:15:00Z'),
          organizer: { email: 'ada@acme.test', name: 'Ada' },
          attendees: [{ ...attendee, status: 'needs_action' }],
          status: 'confirmed',
          start: { ms: Date.parse('2026-11-24T09:00:00Z'), timeZone: 'UTC', isDate: false },
          endMs: Date.parse('2026-11-24T09:30:00Z'),
          ...{ title: 'Stand-up, daily', description: 'One\nTwo', location: 'Room 1' },
          ...{ rrule: null, exceptMs: [] },
        },
      ],
    });
  });

  it('reads the zones that it defines itself', () => {
    const zone = (offset: string) => [
      ...['BEGIN:VTIMEZONE', 'TZID:Here', 'BEGIN:STANDARD', 'DTSTART:16010101T000000'],
      ...[`TZOFFSETFROM:${offset}`, `TZOFFSETTO:${offset}`, 'END:STANDARD', 'END:VTIMEZONE'],
    ];
    const text = (offset: string, ...lines: readonly string[]) =>
      request('DTSTART;TZID=Here:20260701T090000', 'DURATION:PT1H', ...lines).replace(
        'BEGIN:VEVENT',
        [...zone(offset), 'BEGIN:VEVENT'].join('\r\n'),
      );
    const startIn = (offset: string, ...lines: readonly string[]) =>
      readInvitation(text(offset, ...lines)).parts[0]?.start?.ms;
    expect(startIn('+0530', 'RRULE:FREQ=DAILY')).toBe(Date.parse('2026-07-01T03:30:00Z'));
    expect(startIn('+0517')).toBe(Date.parse('2026-07-01T03:43:00Z'));
    expect(() => startIn('+0517', 'RRULE:FREQ=DAILY')).toThrow(Unreadable);
  });

  it('reads the zones of Outlook by their names', () => {
    const text = request(
      ...['DTSTART;TZID=Romance Standard Time:20260701T090000', 'DURATION:PT1H30M'],
      'RRULE:FREQ=WEEKLY;UNTIL=20260930T070000Z;INTERVAL=1;BYDAY=WE;WKST=MO',
      'EXDATE;TZID=Romance Standard Time:20260708T090000',
    );
    const [part] = readInvitation(text).parts;
    const startMs = Date.parse('2026-07-01T07:00:00Z');
    expect(part).toMatchObject({
      start: { ms: startMs, timeZone: 'Europe/Paris', isDate: false },
      endMs: startMs + 90 * 60_000,
      exceptMs: [startMs + 7 * 86_400_000],
    });
    expect(part?.rrule?.split(';').sort()).toEqual([
      ...['BYDAY=WE', 'FREQ=WEEKLY', 'INTERVAL=1', 'UNTIL=20260930T070000Z', 'WKST=MO'],
    ]);
  });

  it('leaves out who has no mail address', () => {
    const people = ['urn:uuid:1', 'mailto:', 'invalid:nomail', 'MAILTO:Max@Acme.test'];
    const [part] = readInvitation(request(...people.map((one) => `ATTENDEE:${one}`))).parts;
    expect(part?.attendees.map(({ email }) => email)).toEqual(['max@acme.test']);
  });

  it('reads the whole days and the vendor’s zones of others', () => {
    const [days] = readInvitation(request('DTSTART;VALUE=DATE:20261224')).parts;
    const startMs = Date.parse('2026-12-24T00:00:00Z');
    expect(days).toMatchObject({
      start: { ms: startMs, isDate: true },
      endMs: startMs + 86_400_000,
    });
    const zone = '/freeassociation.sourceforge.net/Europe/Paris';
    const [timed] = readInvitation(request(`DTSTART;TZID=${zone}:20261224T100000`)).parts;
    expect(timed?.start).toMatchObject({ ms: startMs + 9 * 3_600_000, timeZone: 'Europe/Paris' });
  });

  it.each([
    ['nothing', ''],
    ['no calendar', 'BEGIN:VCARD\r\nEND:VCARD'],
    ['a cut calendar', request('DTSTART:20261124T090000Z').slice(0, 120)],
    ['a method that asks for nothing', request().replace('REQUEST', 'PUBLISH')],
    ['no time of its making', request().replace(/DTSTAMP.*\r\n/, '')],
    ['a time that is none', request('DTSTART:20261324T090000Z')],
    ['a day that is none', request('DTSTART:20260231T090000Z')],
    ['a duration that is none', request('DTSTART:20260201T090000Z', 'DURATION:1H')],
    ['an unknown zone', request('DTSTART;TZID=Nowhere:20261124T090000')],
    ['a time without a zone', request('DTSTART:20261124T090000')],
    ['a sequence beyond numbers', request('SEQUENCE:99999999999999999999')],
    ['a negative sequence', request('SEQUENCE:-1')],
    ['two rules', request('RRULE:FREQ=DAILY', 'RRULE:FREQ=WEEKLY')],
    ['a long UID', request().replace('u@x.test', 'u'.repeat(256))],
    [
      'two events',
      request('END:VEVENT', 'BEGIN:VEVENT', 'UID:other@x.test', 'DTSTAMP:20261120T080000Z'),
    ],
  ])('refuses %s', (_what, text) => {
    expect(() => readInvitation(text)).toThrow(Unreadable);
  });

  const kilo = (unit: string): string => unit.repeat(Math.floor(62_000 / unit.length));
  it.each([
    ['components within components', kilo('BEGIN:VEVENT\r\n')],
    ['events', request(kilo('END:VEVENT\r\nBEGIN:VEVENT\r\nUID:u@x.test\r\n'))],
    [
      'rules of time zones',
      request().replace(
        'BEGIN:VEVENT',
        `BEGIN:VTIMEZONE\r\n${kilo('RRULE:FREQ=DAILY;BYMONTHDAY=-7\r\n')}END:VTIMEZONE\r\nBEGIN:VEVENT`,
      ),
    ],
    ['a rule without end', request('DTSTART:20261124T090000Z', 'RRULE:FREQ=DAILY;BYMONTHDAY=-7')],
    ['attendees', request(kilo('ATTENDEE;PARTSTAT=ACCEPTED:mailto:a@x.test\r\n'))],
    ['parameters', request(`ATTENDEE${kilo(';A=1')}:mailto:a@x.test`)],
    ['quotes', request(`ATTENDEE;CN="${kilo('",')}:mailto:a@x.test`)],
    ['escapes', request(`SUMMARY:${kilo('\\n\\,')}`)],
    ['carets', request(`ATTENDEE;CN=${kilo('^n^^')}:mailto:a@x.test`)],
    ['folds', request(`SUMMARY:${kilo('a\r\n ')}`)],
    ['exceptions', request(`EXDATE:${kilo('20261124T090000Z,')}20261124T090000Z`)],
    ['blank lines', request(kilo('\r\n'))],
    ['parts of a rule', request(`RRULE:FREQ=DAILY;BYDAY=${kilo('MO,')}MO`)],
    ['colons', kilo(':')],
  ])('costs little: %s', (_what, text) => {
    const before = process.cpuUsage();
    try {
      readInvitation(text);
    } catch (error) {
      expect(error).toBeInstanceOf(Unreadable);
    }
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(400);
  });
});
