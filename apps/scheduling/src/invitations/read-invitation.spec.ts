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
          ...{ occurrence: null, isOfFollowing: false, sequence: 2, sentBy: '' },
          stampMs: Date.parse('2026-11-20T10:15:00Z'),
          organizer: { email: 'ada@acme.test', name: 'Ada' },
          attendees: [{ ...attendee, status: 'needs_action' }],
          status: 'confirmed',
          content: {
            start: expect.objectContaining({
              ms: Date.parse('2026-11-24T09:00:00Z'),
              isDate: false,
            }),
            endMs: Date.parse('2026-11-24T09:30:00Z'),
            ...{ title: 'Stand-up, daily', description: 'One\nTwo', location: 'Room 1' },
            ...{ rrule: null, exceptMs: [], addedMs: [], busy: true, conferenceLink: null },
          },
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
      readInvitation(text(offset, ...lines)).parts[0]?.content?.start?.ms;
    expect(startIn('+0530', 'RRULE:FREQ=DAILY')).toBe(Date.parse('2026-07-01T03:30:00Z'));
    expect(startIn('+0517')).toBe(Date.parse('2026-07-01T03:43:00Z'));
  });

  it('leaves out who has no mail address', () => {
    const people = ['urn:uuid:1', 'mailto:', 'invalid:nomail', 'MAILTO:Max@Acme.test'];
    const [part] = readInvitation(request(...people.map((one) => `ATTENDEE:${one}`))).parts;
    expect(part?.attendees.map(({ email }) => email)).toEqual(['max@acme.test']);
  });

  it('reads a zone in the name space of a vendor', () => {
    const startMs = Date.parse('2026-12-24T00:00:00Z');
    const zone = '/freeassociation.sourceforge.net/Europe/Paris';
    const [timed] = readInvitation(request(`DTSTART;TZID=${zone}:20261224T100000`)).parts;
    expect(timed?.content?.start).toMatchObject({
      ms: startMs + 9 * 3_600_000,
      timeZone: 'Europe/Paris',
    });
  });

  it.each([
    ['nothing', ''],
    ['no calendar', 'BEGIN:VCARD\r\nEND:VCARD'],
    ['a cut calendar', request('DTSTART:20261124T090000Z').slice(0, 120)],
    ['a method that asks for nothing', request().replace('REQUEST', 'PUBLISH')],
    ['no time of its making', request().replace(/DTSTAMP.*\r\n/, '')],
    ['a time that is none', request('DTSTART:20261324T090000Z')],
    ['a duration that is none', request('DTSTART:20260201T090000Z', 'DURATION:1H')],
    ['a time without a zone', request('DTSTART:20261124T090000')],
    ['a sequence beyond numbers', request('SEQUENCE:99999999999999999999')],
    ['a negative sequence', request('SEQUENCE:-1')],
    [
      'two events',
      request('END:VEVENT', 'BEGIN:VEVENT', 'UID:other@x.test', 'DTSTAMP:20261120T080000Z'),
    ],
  ])('refuses %s', (_what, text) => {
    expect(() => readInvitation(text)).toThrow(Unreadable);
  });
});
