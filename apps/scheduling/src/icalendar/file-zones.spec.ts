import { describe, expect, it } from '@jest/globals';
import { FileZones } from './file-zones.js';
import { wallClock } from '@postroom/contracts';
import { parseComponent, timeIn, Unreadable } from './jcal.js';
import { zoneNamed } from './zone-names.js';

const lines = (...all: readonly string[]): string => [...all, ''].join('\r\n');
const observance = (name: string, from: string, to: string, ...more: readonly string[]): string =>
  lines(
    ...[`BEGIN:${name}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`],
    ...[...more, `END:${name}`],
  ).trimEnd();
const zone = (...parts: readonly string[]): string =>
  lines('BEGIN:VTIMEZONE', 'TZID:Customized Time Zone', ...parts, 'END:VTIMEZONE');
/** As Outlook writes it, for which clocks have changed since 1601. */
const sundays = (spring: string, autumn: string, hours = '02') =>
  zone(
    observance(
      ...(['STANDARD', '+0200', '+0100', `DTSTART:16010101T030000`] as const),
      `RRULE:FREQ=YEARLY;BYDAY=${autumn};BYMONTH=10`,
    ),
    observance(
      ...(['DAYLIGHT', '+0100', '+0200', `DTSTART:16010101T${hours}0000`] as const),
      `RRULE:FREQ=YEARLY;BYDAY=${spring};BYMONTH=3`,
    ),
  );
const fixed = (offset: string, ...more: readonly string[]) =>
  zone(...more, observance('STANDARD', offset, offset, 'DTSTART:19700101T000000'));

const event = (time: string, ...more: readonly string[]) =>
  parseComponent(
    lines('BEGIN:VEVENT', `DTSTART;TZID=Customized Time Zone:${time}`, ...[...more, 'END:VEVENT']),
  );
/** When an event of a file starts, and the zone that it is in then. */
function startOf(text: string, time: string, ...more: readonly string[]) {
  const settled = FileZones.in(text).settle(event(time, ...more)).event;
  const { ms, timeZone } = timeIn(settled, 'dtstart') ?? {};
  return [ms === undefined ? '' : new Date(ms).toISOString(), timeZone];
}
const rule = 'RRULE:FREQ=WEEKLY';

describe('a time zone of a file', () => {
  it('is a known one where its clocks go as that one’s', () => {
    const paris = sundays('-1SU', '-1SU');
    const summer = ['2026-07-01T07:00:00.000Z', 'Europe/Berlin'];
    expect(startOf(paris, '20260701T090000', rule)).toEqual(summer);
    expect(startOf(paris, '20260701T090000')).toEqual(summer);
    expect(startOf(paris, '20261201T090000', rule)).toEqual([
      ...['2026-12-01T08:00:00.000Z', 'Europe/Berlin'],
    ]);
    const named = paris.replace('BEGIN:STANDARD', 'X-LIC-LOCATION:Europe/Paris\r\nBEGIN:STANDARD');
    expect(startOf(named, '20260701T090000', rule)[1]).toBe('Europe/Paris');
    expect(startOf(fixed('+0530'), '20260701T090000', rule)).toEqual([
      ...['2026-07-01T03:30:00.000Z', 'Asia/Calcutta'],
    ]);
  });

  it('is not the one that it is called where its clocks go otherwise', () => {
    const called = fixed('+0530', 'X-LIC-LOCATION:Europe/Paris');
    expect(startOf(called, '20260701T090000', rule)[1]).toBe('Asia/Calcutta');
  });

  it.each([
    ['clocks that no place has', fixed('+0517'), '2026-07-01T03:43:00.000Z'],
    ['other Sundays', sundays('2SU', '1SU'), '2026-07-01T07:00:00.000Z'],
    ['another hour', sundays('-1SU', '-1SU', '05'), '2026-07-01T07:00:00.000Z'],
  ])(
    'of %s gives an event its moment, and a series the nearest zone, which is told',
    (...given) => {
      const [, text, moment] = given;
      expect(startOf(text, '20260701T090000')).toEqual([moment, 'UTC']);
      const { event: settled, warnings } = FileZones.in(text).settle(
        event('20260701T090000', rule),
      );
      expect(warnings).toEqual([expect.stringContaining('Customized Time Zone')]);
      const { ms = 0, timeZone } = timeIn(settled, 'dtstart') ?? {};
      expect(timeZone).not.toBe('UTC');
      expect(Math.abs(ms - Date.parse(moment))).toBeLessThanOrEqual(1_000);
    },
  );

  it('is not taken for one that has other clocks in the years of the series', () => {
    // The United States have changed their clocks by these rules since 2007.
    const eastern = zone(
      observance(
        ...(['STANDARD', '-0400', '-0500', 'DTSTART:16010101T020000'] as const),
        'RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=11',
      ),
      observance(
        ...(['DAYLIGHT', '-0500', '-0400', 'DTSTART:16010101T020000'] as const),
        'RRULE:FREQ=YEARLY;BYDAY=2SU;BYMONTH=3',
      ),
    );
    expect(startOf(eastern, '20260320T090000', rule)).toEqual([
      ...['2026-03-20T13:00:00.000Z', 'America/New_York'],
    ]);
    expect(startOf(eastern, '20060320T090000', rule)[1]).not.toBe('America/New_York');
    expect(startOf(eastern, '20060320T090000')).toEqual(['2006-03-20T13:00:00.000Z', 'UTC']);
  });

  it.each([
    ['that is not there', ''],
    ['that is cut', fixed('+0100').slice(0, 60)],
    ['without offsets', zone()],
    ['of days', fixed('+9900')],
    ['of no offset', fixed('x')],
    ['with a count', sundays('-1SU', '-1SU').replaceAll(';BYMONTH', ';COUNT=9;BYMONTH')],
    [
      'of many rules',
      zone(
        ...Array.from({ length: 21 }, () =>
          observance('STANDARD', '+0100', '+0100', 'DTSTART:19700101T000000', 'RRULE:FREQ=YEARLY'),
        ),
      ),
    ],
    ['by the second', sundays('-1SU', '-1SU').replaceAll('YEARLY', 'SECONDLY')],
    [
      'by a rule that other readers never end',
      sundays('-1SU', '-1SU').replaceAll(/RRULE.*/g, 'RRULE:FREQ=DAILY;BYMONTHDAY=-7'),
    ],
    [
      'of many changes',
      sundays('-1SU', '-1SU').replaceAll(/;BYDAY=-1SU;BYMONTH=\d+/g, ';BYDAY=MO,TU,WE'),
    ],
    [
      'with a rule and days',
      sundays('-1SU', '-1SU').replaceAll('RRULE', 'RDATE:20260101T000000\r\nRRULE'),
    ],
    [
      'of a thousand parts',
      zone(
        ...Array.from({ length: 1000 }, () =>
          observance('STANDARD', '+0100', '+0100', 'DTSTART:19700101T000000'),
        ),
      ),
    ],
  ])('counts for nothing, which is told: one %s', (_what, text) => {
    const before = process.cpuUsage();
    const { warnings } = FileZones.in(text, 'Asia/Tokyo').settle(event('20260701T090000'));
    expect(warnings).toEqual(['an unknown time zone: Customized Time Zone: read in Asia/Tokyo']);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2_000);
  });

  describe('costs little, whatever an event says', () => {
    const cpuMsOf = (text: string, more: readonly string[], time = '01000101T000000'): number => {
      const before = process.cpuUsage();
      try {
        startOf(text, time, ...more);
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    };

    it('of four hundred zones that are like many known ones until the series ends', () => {
      // Without the bound on looks, and without clocks that are kept, it takes minutes.
      const odd = observance('STANDARD', '+0100', '+0117', 'DTSTART:20311215T000000');
      const zones = Array.from({ length: 400 }, (_, n) =>
        sundays('-1SU', '-1SU')
          .replace('Customized Time Zone', `Zone ${n}`)
          .replace('END:VTIMEZONE', `${odd}\r\nEND:VTIMEZONE`),
      );
      const dates = zones.map((_, n) => `EXDATE;TZID=Zone ${n}:20260701T090000`);
      const all = sundays('-1SU', '-1SU') + zones.join('');
      const more = ['RRULE:FREQ=DAILY', ...dates];
      expect(cpuMsOf(all, more, '19970701T000000')).toBeLessThan(10_000);
    });

    it('of many rules and a date in each year', () => {
      const rules = Array.from({ length: 20 }, (_, n) =>
        observance(
          ...(['STANDARD', '+0100', '+0100', `DTSTART:16010101T0${n % 10}0000`] as const),
          `RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=${(n % 12) + 1}`,
        ),
      );
      const dates = Array.from({ length: 4_000 }, (_, n) => `${1000 + n}0701T090000`).join();
      const excluded = `EXDATE;TZID=Customized Time Zone:${dates}`;
      expect(cpuMsOf(zone(...rules), [excluded])).toBeLessThan(3_000);
    });
  });

  it.each(['Romance Standard Time', 'BST', 'Europe/Paris'])('counts by its name, %s', (name) => {
    const own = (text: string) => text.replaceAll('Customized Time Zone', name);
    const start = parseComponent(
      lines('BEGIN:VEVENT', own('DTSTART;TZID=Customized Time Zone:20260701T090000'), 'END:VEVENT'),
    );
    const settled = FileZones.in(own(fixed('+0517'))).settle(start).event;
    expect(timeIn(settled, 'dtstart')?.ms).toBe(Date.parse('2026-07-01T03:43:00Z'));
  });

  it.each([
    ['/freeassociation.sourceforge.net/Europe/Paris', 'Europe/Paris'],
    ['/citadel.org/20210210_1/America/Argentina/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
    ['europe/paris', 'Europe/Paris'],
    ['"Romance Standard Time"', 'Europe/Paris'],
    ['ROMANCE DAYLIGHT TIME', 'Europe/Paris'],
    ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Amsterdam'],
    ['(GMT+01.00) Sarajevo/Warsaw/Zagreb', 'Europe/Paris'],
    ['(UTC-05:00) Eastern Time (US & Canada)', 'America/New_York'],
    ['Pacific Time (US & Canada)', 'America/Los_Angeles'],
    ['(GMT+05:30) Chennai, Kolkata, Mumbai, New Delhi', 'Asia/Calcutta'],
    ['tzone://Microsoft/Utc', 'UTC'],
    ['Europe/Paris-(GMT+1.00)', 'Europe/Paris'],
    ['Mars/Olympus', null],
    ['Customized Time Zone', null],
    ['BST', null],
  ])('is known by the name %s', (name, zone) => {
    const known = zoneNamed(name);
    const isLike = (ms: number) => known && zone && wallClock(ms, known) === wallClock(ms, zone);
    expect(known === zone || [Date.UTC(2026, 0), Date.UTC(2026, 6)].every(isLike)).toBe(true);
  });

  it('that a name gives by its distance from UTC is that', () => {
    for (const name of ['UTC+05:30', 'GMT+0530', '+05:30', '(UTC+05:30) Nowhere']) {
      const named = `DTSTART;TZID="${name}":20260701T090000`;
      const start = parseComponent(lines('BEGIN:VEVENT', named, 'END:VEVENT'));
      const { ms } = timeIn(FileZones.in('').settle(start).event, 'dtstart') ?? {};
      expect(ms).toBe(Date.parse('2026-07-01T03:30:00Z'));
    }
  });
});
