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
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('events in and out', () => {
  let service: SchedulingService;
  beforeAll(async () => {
    service = await SchedulingService.start();
  });
  afterAll(() => service.close());

  const aCalendar = async (caller: Caller, scope: 'personal' | 'shared' = 'personal') =>
    (await service.calendar(caller, scope)).id;
  const take = (caller: Caller, calendarId: string, entries: string[], first = 0) =>
    service.call<EntryCounts>(
      eventImportSteps.take,
      { calendarId, first, entries: entries.map((one) => (one === '-' ? one : base64(one))) },
      { caller },
    );
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
    const { body } = await take(caller, id, entries, 10);
    expect([body.created, body.updated]).toEqual([1, 1]);
    expect(body.unreadable.map(({ entry }) => entry)).toEqual([13, 14, 15, 16, 17, 18, 19]);
    expect(body.unreadable.every(({ reason }) => reason !== '')).toBe(true);
    expect(await eventsOf(caller, id)).toMatchObject([{ uid: 'one', title: 'Other', version: 2 }]);
    const told = (await service.events(caller)).map(({ type }) => type);
    expect(told).toEqual(['calendar_event.created', 'calendar_event.updated']);
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

  it('are read by the time zones of their file, or told why not', async () => {
    const caller = aMember();
    const calendarId = await aCalendar(caller);
    const zone = [
      ...['BEGIN:VTIMEZONE', 'TZID:Here', 'BEGIN:STANDARD', 'DTSTART:16010101T000000'],
      ...['TZOFFSETFROM:+0517', 'TZOFFSETTO:+0517', 'END:STANDARD', 'END:VTIMEZONE', ''],
    ].join('\r\n');
    const here = ['DTSTART;TZID=Here:20260327T131700', 'DURATION:PT1H'];
    const entries = [vevent('UID:one', ...here), vevent('UID:two', ...here, 'RRULE:FREQ=DAILY')];
    const given = { calendarId, first: 0, entries: entries.map(base64) };
    const taken = (zones: string) =>
      service.call<EntryCounts>(eventImportSteps.take, { ...given, zones }, { caller });
    expect((await taken('')).body.unreadable.map(({ reason }) => reason)).toEqual([
      ...['an unknown time zone: Here', 'an unknown time zone: Here'],
    ]);
    const reason = 'a series by the clocks of a zone like no other: Here';
    expect((await taken(base64(zone))).body).toEqual({
      ...{ created: 1, updated: 0, unreadable: [{ entry: 2, reason }] },
    });
    expect(await eventsOf(caller, calendarId)).toMatchObject([{ startMs, timeZone: 'UTC' }]);
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
    expect(body).toEqual({ created: 2, updated: 1, unreadable: [] });
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
    await take(caller, id, [vevent('UID:one', 'SUMMARY:One', ...times)]);
    const make = async () =>
      (await service.call<{ secret: string }>(feedSteps.make, { calendarId: id }, { caller })).body
        .secret;
    const reader = aMember({ tenantId: caller.tenantId });
    const read = (secret: string, asked: Caller = reader) =>
      service.call<FeedPart>(feedSteps.read, { secret, after: '' }, { caller: asked });
    const first = await make();
    expect((await read(first)).body.lines).toContain('SUMMARY:One');
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
