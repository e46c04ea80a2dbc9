import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@postroom/access';
import {
  calendarEvents,
  calendarTransfer,
  eventImportSteps,
  feedSteps,
  newId,
  type CalendarEvent,
  type CalendarPart,
  type EntryCounts,
  type EventList,
  type ExportEvents,
  type FeedPart,
} from '@postroom/contracts';
import { aMember, anAdmin } from '@postroom/service-testing';
import { SchedulingService } from '../testing/scheduling-service.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.parse('2026-03-27T08:00:00Z');
const window = { from: startMs - 30 * dayMs, to: startMs + 60 * dayMs };

const vevent = (...lines: string[]): string =>
  ['BEGIN:VEVENT', ...lines, 'END:VEVENT', ''].join('\r\n');
const times = [
  'DTSTART;TZID=Europe/Paris:20260327T090000',
  'DTEND;TZID=Europe/Paris:20260327T100000',
];
const span = { startMs, endMs: startMs + hourMs };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('events in and out', () => {
  let service: SchedulingService;
  beforeAll(async () => {
    service = await SchedulingService.start();
  });
  afterAll(() => service.close());

  const aCalendar = async (caller: Caller, scope: 'personal' | 'shared' = 'personal') =>
    (await service.calendar(caller, scope)).id;
  const take = (caller: Caller, calendarId: string, entries: string[], given: object = {}) => {
    const bytes = entries.map((one) => (one === '-' ? one : base64(one)));
    const step = { calendarId, places: entries.map((_, i) => i + 1), entries: bytes };
    return service.call<EntryCounts>(eventImportSteps.take, { ...step, ...given }, { caller });
  };
  const eventsOf = async (caller: Caller, calendarId: string): Promise<CalendarEvent[]> =>
    (await service.call<EventList>(calendarEvents.list, { ...window, calendarId }, { caller })).body
      .events;
  const fileOf = async (caller: Caller, id: string): Promise<string> =>
    (await partsOf(caller, id)).join('');
  async function partsOf(caller: Caller, id: string): Promise<string[]> {
    const parts: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const input: ExportEvents = { id, after };
      const part = await service.call<CalendarPart>(calendarTransfer.export, input, { caller });
      const { body }: { body: CalendarPart } = part;
      parts.push(body.lines);
      after = body.after;
    }
    return parts;
  }
  const entriesOf = (file: string): string[] => file.match(/BEGIN:VEVENT.*?END:VEVENT\r\n/gs) ?? [];

  it('create, overwrite by UID, and tell what cannot be read and why', async () => {
    const caller = aMember();
    const id = await aCalendar(caller);
    const entries = [
      vevent('UID:one', 'SUMMARY:One', ...times),
      vevent('UID:one', 'SUMMARY:Other', ...times),
      'nonsense',
      '-',
      vevent('UID:two', ...times, 'RRULE:FREQ=HOURLY'),
      vevent('UID:three', ...times, 'RRULE:FREQ=DAILY;COUNT=1000000000'),
      vevent('UID:four', 'DTSTART:20260327T080000Z', 'DTEND:20260327T075959Z'),
      vevent('UID:five', ...times, 'RECURRENCE-ID;TZID=Europe/Paris:20260327T090000'),
      vevent('UID:six', 'DTSTART:20260327T080000Z', 'DTEND:20280327T080000Z'),
    ];
    for (const dryRun of [true, false]) {
      const { body } = await take(caller, id, entries, { dryRun });
      expect([body.created, body.updated]).toEqual([4, 1]);
      expect(body.unreadable.map(({ entry }) => entry)).toEqual([3, 4, 5, 6]);
      expect(body.unreadable.every(({ reason }) => reason !== '')).toBe(true);
      expect(body.warnings.map(({ entry }) => entry)).toEqual([7, 8, 9]);
      expect(await eventsOf(caller, id)).toHaveLength(dryRun ? 0 : 4);
    }
    const [one] = (await eventsOf(caller, id)).filter(({ uid }) => uid === 'one');
    expect(one).toMatchObject({ title: 'Other', version: 2 });
    const told = (await service.events(caller)).map(({ type }) => type);
    expect(told.sort()).toEqual([
      ...Array<string>(4).fill('calendar_event.created'),
      'calendar_event.updated',
    ]);
  });

  it('begin no line of their own, whatever a reader takes for the end of one', async () => {
    const caller = aMember();
    const calendarId = await aCalendar(caller);
    const ends = ['\u0085', '\v', '\f', '\u2028', '\u2029', '\r'];
    const description = ends.map((end) => `x${end}ATTENDEE:mailto:evil@x.test`).join('');
    const created = await service.createEvent(caller, {
      title: 'T',
      ...span,
      calendarId,
      description,
    });
    expect(created.status).toBe(201);
    const lines = (await fileOf(caller, calendarId)).split(/[\r\n\v\f\u0085\u2028\u2029]/);
    expect(lines.filter((line) => line.startsWith('ATTENDEE'))).toEqual([]);
    expect(lines).toContain('SUMMARY:T');
  });

  it('come back as they were where they take no time', async () => {
    const caller = aMember();
    const [id, other] = [await aCalendar(caller), await aCalendar(caller)];
    await take(caller, id, [vevent('UID:one', 'SUMMARY:Now', 'DTSTART:20260327T080000Z')]);
    const file = await fileOf(caller, id);
    expect(file).not.toContain('DTEND');
    expect((await take(caller, other, entriesOf(file))).body.created).toBe(1);
    const [event] = await eventsOf(caller, other);
    expect(event).toMatchObject({ title: 'Now', startMs, endMs: startMs + 1 });
  });

  it('are read by the time zones of their file, and told what could not be', async () => {
    const caller = aMember();
    const calendarId = await aCalendar(caller);
    const zone = [
      ...['BEGIN:VTIMEZONE', 'TZID:Here', 'BEGIN:STANDARD', 'DTSTART:16010101T000000'],
      ...['TZOFFSETFROM:+0517', 'TZOFFSETTO:+0517', 'END:STANDARD', 'END:VTIMEZONE', ''],
    ].join('\r\n');
    const here = ['DTSTART;TZID=Here:20260327T131700', 'DURATION:PT1H'];
    const entries = [vevent('UID:one', ...here), vevent('UID:two', ...here, 'RRULE:FREQ=DAILY')];
    const taken = async (zones: string) =>
      (await take(caller, calendarId, entries, { zones, timeZone: 'Asia/Tokyo' })).body;
    const unknown = 'an unknown time zone: Here: read in Asia/Tokyo';
    expect((await taken('')).warnings.map(({ reason }) => reason)).toEqual([unknown, unknown]);
    const { warnings, ...counts } = await taken(base64(zone));
    expect(counts).toEqual({ created: 0, updated: 2, unreadable: [] });
    expect(warnings).toMatchObject([
      { entry: 2, reason: expect.stringContaining('like no other') },
    ]);
    const [one] = (await eventsOf(caller, calendarId)).filter(({ uid }) => uid === 'one');
    expect(one).toMatchObject({ startMs, timeZone: 'UTC' });
  });

  const paris = (name: string, time: string) => `${name};TZID=Europe/Paris:202603${time}`;
  const weekly = (uid: string, ...more: string[]) =>
    vevent(
      ...[`UID:${uid}`, 'SUMMARY:weekly', paris('DTSTART', '02T090000'), 'DURATION:PT1H'],
      ...['RRULE:FREQ=WEEKLY;COUNT=3', ...more],
    );
  const days = (uid: string) =>
    vevent(`UID:${uid}`, 'DTSTART;VALUE=DATE:20260302', 'RRULE:FREQ=WEEKLY;COUNT=3');
  const occursAt = Date.parse('2026-03-09T08:00:00Z');
  const dayOf = (text: string): number => Date.parse(`2026-03-${text}T00:00:00Z`);

  it.each<[string, (uid: string) => string, string[], object]>([
    [
      'a time',
      weekly,
      [paris('RECURRENCE-ID', '09T090000'), paris('DTSTART', '10T140000'), 'DURATION:PT1H'],
      { occurrenceStartMs: occursAt, startMs: Date.parse('2026-03-10T13:00:00Z') },
    ],
    [
      'a day, from a time to the whole day',
      weekly,
      ['RECURRENCE-ID:20260309', 'DTSTART;VALUE=DATE:20260309', 'DTEND;VALUE=DATE:20260310'],
      { occurrenceStartMs: occursAt, allDay: true, startMs: dayOf('09'), endMs: dayOf('10') },
    ],
    [
      'midnight, of a series of days',
      days,
      ['RECURRENCE-ID;TZID=Europe/Berlin:20260309T000000', 'DTSTART;VALUE=DATE:20260310'],
      { occurrenceStartMs: dayOf('09'), startMs: dayOf('10') },
    ],
    [
      'midnight in UTC, from a day to a time',
      days,
      ['RECURRENCE-ID:20260308T230000Z', paris('DTSTART', '09T090000'), 'DURATION:PT1H'],
      { occurrenceStartMs: dayOf('09'), allDay: false, timeZone: 'Europe/Paris' },
    ],
    [
      'what is excepted too',
      (uid) => weekly(uid, paris('EXDATE', '09T090000')),
      [paris('RECURRENCE-ID', '09T090000'), paris('DTSTART', '10T090000'), 'DURATION:PT1H'],
      { occurrenceStartMs: occursAt },
    ],
  ])('have an occurrence changed that is named by %s', async (_what, seriesOf, lines, override) => {
    const caller = aMember();
    const [id, copy] = [await aCalendar(caller), await aCalendar(caller)];
    const entries = [seriesOf('s'), vevent('UID:s', 'SUMMARY:changed', ...lines)];
    const { body } = await take(caller, id, entries);
    expect(body).toEqual({ created: 1, updated: 1, unreadable: [], warnings: [] });
    const [event] = await eventsOf(caller, id);
    expect(event?.overrides).toMatchObject([{ title: 'changed', ...override }]);
    expect(event?.recurrence?.exceptMs).toEqual([]);
    await take(caller, copy, entriesOf(await fileOf(caller, id)));
    expect((await eventsOf(caller, copy))[0]?.overrides).toEqual(event?.overrides);
  });

  it('are events of their own where they change an occurrence of no series', async () => {
    const caller = aMember();
    const id = await aCalendar(caller);
    const change = (day: string) =>
      vevent('UID:s', paris('RECURRENCE-ID', `${day}T090000`), paris('DTSTART', `${day}T100000`));
    for (const [created, updated] of [
      [2, 0],
      [0, 2],
    ]) {
      const { body } = await take(caller, id, [change('09'), change('16')]);
      expect(body).toMatchObject({ created, updated, warnings: [{ entry: 1 }, { entry: 2 }] });
    }
    expect(await eventsOf(caller, id)).toHaveLength(2);
  });

  it.each([
    [
      'a birthday',
      ['DTSTART;VALUE=DATE:19580214', 'RRULE:FREQ=YEARLY'],
      '1970-02-14T00:00:00Z',
      null,
    ],
    [
      'one without a year',
      ['DTSTART;VALUE=DATE:16040310', 'RRULE:FREQ=YEARLY'],
      '1970-03-10T00:00:00Z',
      null,
    ],
    [
      'a counted one',
      ['DTSTART;TZID=Europe/Paris:19690101T090000', 'RRULE:FREQ=MONTHLY;COUNT=14'],
      ...(['1970-01-01T08:00:00Z', 2] as const),
    ],
  ])('begin with their first occurrence since 1970: %s', async (_what, lines, first, count) => {
    const caller = aMember();
    const id = await aCalendar(caller);
    const ended = vevent('UID:b', 'DTSTART:19600101T090000Z', 'RRULE:FREQ=DAILY;COUNT=3');
    const { body } = await take(caller, id, [vevent('UID:a', ...lines), ended]);
    expect(body.unreadable).toEqual([{ entry: 2, reason: 'a time before 1970' }]);
    const file = await fileOf(caller, id);
    const [{ startMs: at, recurrence } = { startMs: 0, recurrence: null }] = (
      await service.call<EventList>(
        calendarEvents.list,
        { from: 1, to: Date.UTC(1971, 0), calendarId: id },
        { caller },
      )
    ).body.events;
    expect([new Date(at).toISOString().replace('.000', ''), recurrence?.count]).toEqual([
      first,
      count,
    ]);
    expect(file).toContain('UID:a');
  });

  it('leave as they are read again: days to their end, and the second of a doubled hour', async () => {
    const caller = aMember();
    const id = await aCalendar(caller);
    const given = { calendarId: id, title: 'x', timeZone: 'Europe/Paris' };
    const second = Date.parse('2026-10-25T01:30:00Z');
    const day = Date.parse('2026-10-23T22:00:00Z');
    for (const event of [
      { startMs: second, endMs: second + hourMs },
      {
        startMs: day,
        endMs: day + 24 * hourMs - 1000,
        allDay: true,
        visibility: 'private' as const,
      },
    ])
      await service.call(calendarEvents.create, { ...given, ...event }, { caller });
    const file = await fileOf(caller, id);
    expect(file).toContain('DTSTART:20261025T013000Z');
    expect(file).toContain('DTSTART;VALUE=DATE:20261024\r\nDTEND;VALUE=DATE:20261025');
    expect(file).toContain('CLASS:PRIVATE');
  });

  it('are refused for a calendar that is not there, or another member’s own', async () => {
    const [caller, stranger] = [aMember(), aMember()];
    const id = await aCalendar(caller);
    const entries = [vevent('UID:one', ...times)];
    expect((await take(stranger, id, entries)).problem).toBe('CALENDAR_NOT_FOUND');
    const neighbour = aMember({ tenantId: caller.tenantId });
    expect((await take(neighbour, id, entries)).problem).toBe('FORBIDDEN');
    for (const operation of [feedSteps.make, feedSteps.revoke]) {
      const asks = (who: Caller) => service.call(operation, { calendarId: id }, { caller: who });
      expect((await asks(stranger)).problem).toBe('CALENDAR_NOT_FOUND');
      expect((await asks(neighbour)).problem).toBe('FORBIDDEN');
    }
    const input = { id, after: '' };
    const asked = { caller: neighbour };
    expect((await service.call(calendarTransfer.export, input, asked)).problem).toBe('FORBIDDEN');
  });

  it('are the same events after an import of an export', async () => {
    const caller = aMember();
    const [id, copy] = [await aCalendar(caller), await aCalendar(caller)];
    await take(caller, id, [
      vevent('UID:one', 'SUMMARY:One\\, two\\; three\\nfour', ...times, 'RRULE:FREQ=DAILY;COUNT=9'),
      vevent(
        'UID:one',
        'SUMMARY:Late',
        'RECURRENCE-ID;TZID=Europe/Paris:20260330T090000',
        'DTSTART;TZID=Europe/Paris:20260330T110000',
        'DTEND;TZID=Europe/Paris:20260330T120000',
      ),
      vevent(
        'UID:two',
        'SUMMARY:Day',
        'DTSTART;VALUE=DATE:20260401',
        'RRULE:FREQ=WEEKLY;UNTIL=20260501',
      ),
    ]);
    const file = await fileOf(caller, id);
    expect(file).toMatch(
      /^BEGIN:VCALENDAR\r\n.*BEGIN:VTIMEZONE\r\nTZID:Europe\/Paris.*END:VCALENDAR\r\n$/s,
    );
    const { body } = await take(caller, copy, entriesOf(file));
    expect(body).toEqual({ created: 2, updated: 1, unreadable: [], warnings: [] });
    const plain = (events: CalendarEvent[]) =>
      events.map(({ uid, title, startMs: at, endMs, allDay, timeZone, recurrence, overrides }) => ({
        ...{ uid, title, at, endMs, allDay, timeZone, recurrence, overrides },
      }));
    const events = await eventsOf(caller, id);
    expect(events[0]?.overrides).toHaveLength(1);
    expect(plain(await eventsOf(caller, copy))).toEqual(plain(events));
  });

  const day = (at: number): string => `202604${String(at + 1).padStart(2, '0')}T080000Z`;
  /** A series of which some occurrences have a description of their own, of 10,000 characters. */
  const longSeries = (uid: string, changed: number): string[] => [
    vevent(`UID:${uid}`, `DTSTART:${day(0)}`, 'DURATION:PT1H', 'RRULE:FREQ=DAILY'),
    ...Array.from({ length: changed }, (_, i) =>
      vevent(
        ...[`UID:${uid}`, `RECURRENCE-ID:${day(i)}`, `DTSTART:${day(i)}`, 'DURATION:PT1H'],
        `DESCRIPTION:${i} ${'x'.repeat(9_990)}`,
      ),
    ),
  ];

  it('leave in parts of about a mebibyte, however long single events are', async () => {
    const caller = aMember();
    const id = await aCalendar(caller);
    const series = Array.from({ length: 8 }, (_, i) => `series-${i}`);
    for (const uid of series) await take(caller, id, longSeries(uid, 30));
    const parts = await partsOf(caller, id);
    expect(parts.length).toBeGreaterThan(1);
    const mebi = 1024 * 1024;
    for (const part of parts) expect(part.length).toBeLessThan(1.5 * mebi);
    const file = parts.join('');
    expect(file).toMatch(/^BEGIN:VCALENDAR\r\n.*END:VCALENDAR\r\n$/s);
    const uids = entriesOf(file).map((one) => /UID:(.*)\r/.exec(one)?.[1]);
    expect(uids).toEqual(series.flatMap((uid) => Array.from({ length: 31 }, () => uid)));
  });

  it('make one event of a UID that two imports bring at once', async () => {
    const caller = aMember();
    const id = await aCalendar(caller);
    const entries = [vevent('UID:one', ...times)];
    const answers = await Promise.all(Array.from({ length: 5 }, () => take(caller, id, entries)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await eventsOf(caller, id)).toHaveLength(1);
  });

  it.each(['DAILY', 'WEEKLY', 'MONTHLY'])(
    'cost little when a hundred repeat two thousand times %s',
    async (freq) => {
      const caller = aMember();
      const id = await aCalendar(caller);
      const entries = Array.from({ length: 100 }, (_, i) =>
        vevent(`UID:${i}`, ...times, `RRULE:FREQ=${freq};COUNT=2000`),
      );
      const before = process.cpuUsage();
      expect((await take(caller, id, entries)).body.created).toBe(100);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(10_000);
    },
  );

  it('are shown by a secret, until another is made or it is revoked, to nobody else', async () => {
    const caller = anAdmin();
    const id = await aCalendar(caller, 'shared');
    const secret = ['SUMMARY:Secret', 'CLASS:PRIVATE', 'LOCATION:Secret'];
    await take(caller, id, [
      vevent('UID:one', 'SUMMARY:One', ...times),
      vevent('UID:two', ...times, ...secret),
    ]);
    const make = async () =>
      (await service.call<{ secret: string }>(feedSteps.make, { calendarId: id }, { caller })).body
        .secret;
    const reader = aMember({ tenantId: caller.tenantId });
    const read = (secret: string, asked: Caller = reader) =>
      service.call<FeedPart>(feedSteps.read, { secret, after: '' }, { caller: asked });
    const first = await make();
    const { lines } = (await read(first)).body;
    expect(lines).toContain('SUMMARY:One');
    expect([lines.includes('SUMMARY:Busy'), lines.includes('Secret')]).toEqual([true, false]);
    expect((await read(first, aMember({ tenantId: newId('ten') }))).problem).toBe(
      'CALENDAR_NOT_FOUND',
    );
    const second = await make();
    expect((await read(first)).problem).toBe('CALENDAR_NOT_FOUND');
    expect((await read(second)).status).toBe(200);
    const kept = await service.rows<{ secret_hash: Buffer }>(
      'SELECT secret_hash FROM calendar_feeds',
      [],
    );
    expect(JSON.stringify(kept)).not.toContain(second);
    await service.call(feedSteps.revoke, { calendarId: id }, { caller });
    expect((await read(second)).problem).toBe('CALENDAR_NOT_FOUND');
  });

  it('are shown with the member whose own they are, who has to be there for it', async () => {
    const caller = anAdmin();
    const ownerOf = async (scope: 'personal' | 'shared') => {
      const input = { calendarId: await aCalendar(caller, scope) };
      const { secret } = (await service.call<{ secret: string }>(feedSteps.make, input, { caller }))
        .body;
      const asked = { secret, after: '' };
      return (await service.call<FeedPart>(feedSteps.read, asked, { caller })).body.ownerId;
    };
    expect([await ownerOf('personal'), await ownerOf('shared')]).toEqual([caller.memberId, null]);
  });
});
