import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@postroom/access';
import {
  builtIns,
  calendarEvents,
  calendars,
  newId,
  unknownId,
  type Calendar,
  type CalendarEvent,
  type ContainerList,
  type EventList,
} from '@postroom/contracts';
import { runMaintenance, type Preview } from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { aKey, aMember, anAdmin } from '@postroom/service-testing';
import { purgeDeletedCalendars } from '../stored-calendars.js';
import { SchedulingService } from '../testing/scheduling-service.js';

let service: SchedulingService;
beforeAll(async () => {
  service = await SchedulingService.start();
});
afterAll(() => service.close());

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** 09:00 in Paris, two days before the clocks change. */
const startMs = Date.parse('2026-03-27T08:00:00Z');
const times = { startMs, endMs: startMs + hourMs };

/** A member of a workspace, of a new one when none is named. */
const someone = (tenantId = newId('ten')): Caller => aMember({ tenantId });

const calendarOf = (caller: Caller, scope: 'personal' | 'shared' = 'personal') =>
  service.calendar(caller, scope, { color: 'blue' });
const create: SchedulingService['createEvent'] = (...given) => service.createEvent(...given);
const made = (caller: Caller, given: object = {}) => service.event(caller, { ...times, ...given });
const update: SchedulingService['updateEvent'] = (...given) => service.updateEvent(...given);
const remove: SchedulingService['removeEvent'] = (...given) => service.removeEvent(...given);
const typesOf = (caller: Caller) => service.eventTypes(caller);
const windowOf = async (caller: Caller, given: object = {}): Promise<EventList> => {
  const input = { from: startMs - dayMs, to: startMs + 7 * dayMs, ...given };
  return (await service.call<EventList>(calendarEvents.list, input, { caller })).body;
};
const starts = ({ occurrences }: EventList): string[] =>
  occurrences.map((one) => new Date(one.startMs).toISOString().slice(0, 16));

describe('calendars', () => {
  it('tell other services who may see them, in the commit of their creation', async () => {
    const caller = aMember();
    const personal = await calendarOf(caller);
    const told = await service.rows<{ resource: string; envelope: string }>(
      `SELECT resource, envelope FROM outbox WHERE tenant_id = $1 AND type = 'calendar.created'`,
      [caller.tenantId],
    );
    const calendar = { id: personal.id, isShared: false, ownerId: caller.memberId };
    expect(told).toEqual([{ resource: personal.id, envelope: JSON.stringify({ calendar }) }]);
  });

  it('are one’s own, or, made by an administrator, the whole workspace’s', async () => {
    const admin = anAdmin({ memberId: newId('mbr') });
    const { tenantId } = admin;
    const member = aMember({ tenantId });
    const own = await calendarOf(member);
    const shared = await calendarOf(admin, 'shared');
    expect(shared).toEqual({
      ...{ id: expect.stringMatching(/^cal_/), name: 'Team', color: 'blue', scope: 'shared' },
      ...{ ownerUid: 'ada@acme.test', createdAt: expect.stringMatching(/Z$/) },
    });
    const seen = async (caller: Caller) =>
      (await service.call<{ calendars: Calendar[]; me: string }>(calendars.list, {}, { caller }))
        .body;
    expect(await seen(member)).toEqual({
      ...{ calendars: [own, shared], me: 'max@acme.test', truncated: false },
    });
    expect((await seen(admin)).calendars).toEqual([shared]);
    expect((await seen(someone())).calendars).toEqual([]);
    const byKey = { tenantId, member: { id: newId('mbr'), email: 'k@acme.test' } };
    const input = { name: 'x', scope: 'shared' } as const;
    const refused = await service.call(calendars.create, input, { caller: aKey(byKey) });
    expect(refused.problem).toBe('CALENDAR_SCOPE_FORBIDDEN');
    const allowed = aKey({ ...byKey, admin: true });
    expect((await service.call(calendars.create, input, { caller: allowed })).status).toBe(201);
  });

  it('are shown before they are there to whom they would be: all members, or the one who asks', async () => {
    const member = { id: newId('mbr'), email: 'k@acme.test' };
    const caller = aKey({ member, admin: true });
    const within = async (scope: 'personal' | 'shared'): Promise<unknown> => {
      const options = { caller, preview: true };
      const answer = await service.call<Preview>(calendars.create, { name: 'x', scope }, options);
      return answer.body.within;
    };
    expect(await within('personal')).toEqual({ type: 'member', id: member.id });
    expect(await within('shared')).toBeNull();
  });

  it('are seen by who might see them, also when they are deleted', async () => {
    const admin = anAdmin();
    const { tenantId } = admin;
    const member = aMember({ tenantId });
    const ids = [await calendarOf(member), await calendarOf(admin, 'shared')].map(({ id }) => id);
    const containers = ids.map((id) => ({ type: 'calendar' as const, id }));
    const seen = async (caller: Caller) =>
      (await service.call<ContainerList>(builtIns.scheduling.visible, { containers }, { caller }))
        .body.containers;
    const [own, shared] = containers;
    const readers: [Caller, unknown[]][] = [
      [member, [own, shared]],
      [admin, [shared]],
      [anAdmin(), []],
    ];
    for (const [caller, expected] of readers) {
      expect(new Set(await seen(caller))).toEqual(new Set(expected));
    }
    await service.call(calendars.remove, { id: ids[0] ?? '' }, { caller: member });
    await service.call(calendars.remove, { id: ids[1] ?? '' }, { caller: admin });
    for (const [caller, expected] of readers) {
      expect(new Set(await seen(caller))).toEqual(new Set(expected));
    }
    const age = (days: number) =>
      service.rows(
        `UPDATE deleted_calendars SET deleted_at = now() - make_interval(days => $2) WHERE tenant_id = $1`,
        [tenantId, days],
      );
    const purge = () => runMaintenance(service.service.get(Database), [purgeDeletedCalendars]);
    await age(14);
    await purge();
    expect(await service.count('deleted_calendars', admin)).toBe(2);
    await age(16);
    await purge();
    expect(await service.count('deleted_calendars', admin)).toBe(0);
  });

  it('are deleted with their events, each of which is told of', async () => {
    const admin = anAdmin();
    const { id } = await calendarOf(admin, 'shared');
    for (const title of ['A', 'B']) await create(admin, { calendarId: id, title, ...times });
    const member = aMember({ tenantId: admin.tenantId });
    expect((await service.call(calendars.remove, { id }, { caller: member })).problem).toBe(
      'FORBIDDEN',
    );
    const removed = await service.call(calendars.remove, { id }, { caller: admin });
    expect(removed.body).toEqual({ ok: true, deletedEvents: 2 });
    const deleted = (await typesOf(admin)).filter((type) => type === 'calendar_event.deleted');
    expect(deleted).toHaveLength(2);
    expect((await service.call(calendars.remove, { id }, { caller: admin })).problem).toBe(
      'CALENDAR_NOT_FOUND',
    );
  });
});

describe('events.create', () => {
  it('answers the event with its defaults, and emits it', async () => {
    const caller = someone();
    const event = await made(caller, {
      organizer: { email: 'ada@acme.test' },
      attendees: [
        { email: 'b@x.test', name: 'B', role: 'optional', status: 'needs_action' },
        { email: 'b@x.test', role: 'required', status: 'accepted' },
      ],
    });
    expect(event).toEqual({
      ...{ id: expect.stringMatching(/^evt_/), calendarId: expect.stringMatching(/^cal_/) },
      ...{ uid: expect.stringContaining('@'), title: 'Stand-up', description: '', location: '' },
      ...{ ...times, timeZone: 'UTC', allDay: false, status: 'confirmed', busy: true },
      visibility: 'public',
      organizer: { email: 'ada@acme.test', name: null },
      attendees: [{ email: 'b@x.test', name: 'B', role: 'optional', status: 'needs_action' }],
      ...{ recurrence: null, overrides: [], reminders: [], conferenceLink: null, threadId: null },
      createdBy: { type: 'member', id: expect.any(String) },
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: expect.stringMatching(/Z$/),
      version: 1,
    });
    expect(await service.events(caller)).toMatchObject([
      { type: 'calendar_event.created', sequence: 1, data: event },
    ]);
  });

  it('repeats to the end of the day that a rule names, by the clocks of its zone', async () => {
    const caller = someone();
    // 20:00 in Los Angeles is the next day by UTC, and 08:00 in Tokyo the day before.
    const lastOf = async (timeZone: string, first: string, rrule: string) => {
      const firstMs = Date.parse(first);
      const given = { startMs: firstMs, endMs: firstMs + hourMs, timeZone, recurrence: { rrule } };
      const event = await made(caller, given);
      return event.recurrence?.untilMs && new Date(event.recurrence.untilMs).toISOString();
    };
    const [evening, morning] = ['2026-03-28T03:00:00Z', '2026-03-26T23:00:00Z'];
    const [day, time] = ['FREQ=DAILY;UNTIL=20260330', 'FREQ=DAILY;UNTIL=20260330T200000'];
    expect(await lastOf('America/Los_Angeles', evening, day)).toBe('2026-03-31T06:59:59.000Z');
    expect(await lastOf('Asia/Tokyo', morning, day)).toBe('2026-03-30T14:59:59.000Z');
    expect(await lastOf('Asia/Tokyo', morning, time)).toBe('2026-03-30T11:00:00.000Z');
    expect(await lastOf('Asia/Tokyo', morning, `${time}Z`)).toBe('2026-03-30T20:00:00.000Z');
  });

  it('needs a calendar that the member may see', async () => {
    const owner = someone();
    const { id: calendarId } = await calendarOf(owner);
    const given = { title: 'x', ...times };
    const colleague = aMember({ tenantId: owner.tenantId });
    expect((await create(colleague, { ...given, calendarId })).problem).toBe('FORBIDDEN');
    expect((await create(someone(), { ...given, calendarId })).problem).toBe('CALENDAR_NOT_FOUND');
    expect((await create(owner, { ...given, calendarId: unknownId('cal') })).problem).toBe(
      'CALENDAR_NOT_FOUND',
    );
  });
});

describe('events.list', () => {
  it('shows a series at its local time over a change of clocks', async () => {
    const caller = someone();
    const recurrence = { freq: 'daily', timeZone: 'Europe/Paris', count: 4 } as const;
    const event = await made(caller, { recurrence });
    const found = await windowOf(caller);
    expect(found.events).toEqual([event]);
    expect(starts(found)).toEqual([
      ...['2026-03-27T08:00', '2026-03-28T08:00', '2026-03-29T07:00', '2026-03-30T07:00'],
    ]);
    expect(found.occurrences[0]).toEqual({
      ...{ eventId: event.id, calendarId: event.calendarId, occurrenceStartMs: startMs, ...times },
    });
    expect(found).toMatchObject({
      ...{ window: { fromMs: startMs - dayMs, toMs: startMs + 7 * dayMs }, truncated: false },
      me: 'max@acme.test',
    });
    expect(starts(await windowOf(caller, { from: startMs + 2 * dayMs - 1 }))).toHaveLength(2);
    expect(await windowOf(someone())).toMatchObject({ events: [], occurrences: [] });
  });

  it('has a window with a beginning and without its end', async () => {
    const caller = someone();
    const series = { recurrence: { freq: 'daily', count: 3 } as const };
    const event = await made(caller, { ...series, endMs: startMs + dayMs });
    await update(caller, event.id, { occurrenceStartMs: startMs + dayMs, title: 'Other' });
    const within = async (from: number, to: number) =>
      (await windowOf(caller, { from, to })).occurrences.map(
        (one) => (one.startMs - startMs) / dayMs,
      );
    expect(await within(startMs + dayMs, startMs + 2 * dayMs)).toEqual([1]);
    expect(await within(startMs + dayMs - 1, startMs + 2 * dayMs + 1)).toEqual([0, 1, 2]);
    expect(await within(startMs - dayMs, startMs)).toEqual([]);
    expect(await within(startMs + 3 * dayMs, startMs + 4 * dayMs)).toEqual([]);
    expect((await windowOf(caller, { from: startMs - dayMs, to: startMs })).events).toEqual([]);
  });

  it('has a window of ninety days beside an end that lies beyond the usual ones', async () => {
    const caller = someone();
    const asked = async (given: { from?: number; to?: number }) => {
      const answer = await service.call<EventList>(calendarEvents.list, given, { caller });
      return answer.body.window;
    };
    const now = Date.now();
    const [early, late] = [now - 31 * dayMs, now + 61 * dayMs];
    expect(await asked({ from: late })).toEqual({ fromMs: late, toMs: late + 90 * dayMs });
    expect(await asked({ to: early })).toEqual({ fromMs: early - 90 * dayMs, toMs: early });
    expect(await asked({ to: 5 })).toEqual({ fromMs: 1, toMs: 5 });
    const near = await asked({ from: now });
    expect((near.toMs - now) / dayMs).toBeCloseTo(60, 1);
  });

  it('leaves out cancelled events, and calendars that are out of reach', async () => {
    const caller = someone();
    const event = await made(caller, { status: 'cancelled' });
    expect((await windowOf(caller)).events).toEqual([]);
    const input = { calendarId: event.calendarId };
    const colleague = aMember({ tenantId: caller.tenantId });
    expect((await service.call(calendarEvents.list, input, { caller: colleague })).problem).toBe(
      'FORBIDDEN',
    );
    expect((await service.call(calendarEvents.list, input, { caller: someone() })).problem).toBe(
      'CALENDAR_NOT_FOUND',
    );
  });

  it('cuts what is too much, and says so', async () => {
    const caller = someone();
    await made(caller, { recurrence: { freq: 'daily' } });
    const found = await windowOf(caller, { to: startMs + 40 * 366 * dayMs });
    expect(found.occurrences).toHaveLength(5000);
    expect(found.truncated).toBe(true);
  });

  it('ends with the bytes that an answer may have, and says so', async () => {
    const caller = someone();
    const { id: calendarId } = await calendarOf(caller);
    const description = 'x'.repeat(8_000);
    await create(caller, { calendarId, title: 'Long', description, ...times });
    await service.rows(
      `INSERT INTO calendar_events (tenant_id, id, calendar_id, uid, start_ms, end_ms, first_ms, last_ms,
         has_reminders, content, created_by, created_at, updated_at)
       SELECT tenant_id, id || i, calendar_id, uid || i, start_ms, end_ms, first_ms, last_ms, has_reminders,
         content || jsonb_build_object('location', repeat('y', 192000)), created_by, created_at, updated_at
       FROM calendar_events, generate_series(1, 60) i WHERE calendar_id = $1`,
      [calendarId],
    );
    const { events, truncated } = await windowOf(caller);
    expect(truncated).toBe(true);
    // 8 MiB of 200 kB, and the one that goes beyond.
    expect(events.length).toBeGreaterThan(40);
    expect(events.length).toBeLessThan(45);
  });

  it('finds an event among a thousand series that have nothing in the window', async () => {
    const caller = someone();
    const { id: calendarId } = await calendarOf(caller);
    const born = { startMs: startMs - 200 * dayMs, endMs: startMs - 200 * dayMs + hourMs };
    const yearly = { title: 'Birthday', recurrence: { freq: 'yearly' }, ...born };
    await create(caller, { calendarId, ...yearly });
    await service.rows(
      `INSERT INTO calendar_events (tenant_id, id, calendar_id, uid, start_ms, end_ms, first_ms, last_ms,
         has_reminders, content, created_by, created_at, updated_at)
       SELECT tenant_id, id || i, calendar_id, uid || i, start_ms, end_ms, first_ms, last_ms,
         has_reminders, content, created_by, created_at, updated_at
       FROM calendar_events, generate_series(1, 1100) i WHERE calendar_id = $1`,
      [calendarId],
    );
    const { body } = await create(caller, { calendarId, title: 'Meeting', ...times });
    const found = await windowOf(caller);
    expect(found.events.map(({ id }) => id)).toEqual([body.event.id]);
    expect(found.truncated).toBe(false);
  });

  it('looks no further into a long window than what it shows', async () => {
    const caller = someone();
    const { id: calendarId } = await calendarOf(caller);
    for (let i = 0; i < 20; i++)
      await create(caller, { calendarId, title: 'x', ...times, recurrence: { freq: 'daily' } });
    // The thread is there by then.
    await windowOf(caller);
    // To the end of the window each would take seconds, and the thread has three.
    const found = await windowOf(caller, { to: startMs + 99 * 366 * dayMs });
    expect(found.occurrences).toHaveLength(5000);
    expect(found.occurrences.at(-1)?.startMs).toBe(found.occurrences[4999 - 10]?.startMs);
    expect([found.events.length, found.truncated]).toEqual([20, true]);
  });

  it('names reminders that are due, until their occurrence has ended', async () => {
    const caller = someone();
    const soon = Date.now() + 30 * 60_000;
    const event = await made(caller, {
      ...{ startMs: soon, endMs: soon + hourMs, reminders: [{ minutes: 45 }, { minutes: 5 }] },
    });
    await made(caller, { reminders: [{ minutes: 45 }] });
    const { remindersDue } = await windowOf(caller);
    const dueMs = soon - 45 * 60_000;
    expect(remindersDue).toEqual([
      { eventId: event.id, occurrenceStartMs: soon, dueMs, minutes: 45 },
    ]);
  });
});

describe('events.update', () => {
  it('keeps what is absent and clears what is null', async () => {
    const caller = someone();
    const event = await made(caller, { description: 'Old', conferenceLink: 'https://x.test/a' });
    const answer = await update(caller, event.id, { description: null, title: 'New' });
    expect(answer.body.event).toMatchObject({
      ...{ title: 'New', description: '', conferenceLink: 'https://x.test/a', version: 2 },
    });
    expect((await service.events(caller)).at(-1)).toMatchObject({
      ...{ type: 'calendar_event.updated', sequence: 2 },
      previous: { title: 'Stand-up', description: 'Old' },
    });
    expect((await update(caller, event.id, { title: 'New' })).body.event.version).toBe(2);
    expect((await update(caller, event.id, { ifMatch: 1 })).problem).toBe('VERSION_CONFLICT');
    expect((await update(caller, event.id, { endMs: startMs })).problem).toBe('INVALID_REQUEST');
    expect((await update(someone(), event.id, {})).problem).toBe('EVENT_NOT_FOUND');
    const colleague = aMember({ tenantId: caller.tenantId });
    expect((await update(colleague, event.id, {})).problem).toBe('FORBIDDEN');
  });

  it('tells an answer of an attendee by an event of its own', async () => {
    const caller = someone();
    const person = { email: 'b@x.test', name: null, role: 'required', status: 'needs_action' };
    const event = await made(caller, { attendees: [person] });
    const attendees = [{ ...person, status: 'accepted' }];
    await update(caller, event.id, { attendees });
    await update(caller, event.id, { attendees: [person], title: 'Both' });
    const all = await service.events(caller);
    expect(all.map(({ type, sequence }) => [type, sequence])).toEqual([
      ['calendar_event.created', 1],
      ['calendar_event.rsvp_changed', 2],
      ['calendar_event.updated', 3],
      ['calendar_event.rsvp_changed', 4],
    ]);
    expect(all[1]).toMatchObject({ previous: { attendees: [person] }, data: { attendees } });
  });

  it('tells what somebody answers to one occurrence', async () => {
    const caller = someone();
    const person = { email: 'p@x.test', name: null, role: 'required', status: 'needs_action' };
    const recurrence = { freq: 'daily', timeZone: 'Europe/Paris', count: 3 } as const;
    const event = await made(caller, { recurrence, attendees: [person] });
    const occurrenceStartMs = startMs + dayMs;
    const attendees = [{ ...person, status: 'accepted' }];
    const given = { occurrenceStartMs, attendees };
    const overrides = [{ occurrenceStartMs, attendees }];
    const answer = await update(caller, event.id, given);
    expect(answer.body.event).toMatchObject({ attendees: [person], overrides });
    const later = [{ ...person, status: 'declined' }];
    await update(caller, event.id, { occurrenceStartMs, attendees: later, title: 'x' });
    expect((await service.events(caller)).slice(1)).toMatchObject([
      { type: 'calendar_event.rsvp_changed', sequence: 2, previous: { overrides: [] } },
      { type: 'calendar_event.updated', sequence: 3, previous: { overrides } },
      { type: 'calendar_event.rsvp_changed', sequence: 4, previous: { overrides } },
    ]);
  });

  it('changes one occurrence, which stays changed', async () => {
    const caller = someone();
    const recurrence = { freq: 'daily', timeZone: 'Europe/Paris', count: 3 } as const;
    const event = await made(caller, { recurrence });
    const occurrenceStartMs = startMs + dayMs;
    const moved = { startMs: occurrenceStartMs + hourMs, endMs: occurrenceStartMs + 2 * hourMs };
    const answer = await update(caller, event.id, { occurrenceStartMs, title: 'Later', ...moved });
    expect(answer.body.event).toMatchObject({
      ...{ id: event.id, title: 'Stand-up', version: 2 },
      overrides: [{ occurrenceStartMs, title: 'Later', ...moved }],
    });
    await update(caller, event.id, { description: 'Of all' });
    const found = await windowOf(caller);
    expect(found.occurrences[1]).toMatchObject({ occurrenceStartMs, ...moved });
    expect(found.occurrences).toHaveLength(3);
    const cancelled = await update(caller, event.id, { occurrenceStartMs, status: 'cancelled' });
    expect(cancelled.body.event).toMatchObject({
      ...{ overrides: [], recurrence: { exceptMs: [occurrenceStartMs] } },
    });
    expect((await windowOf(caller)).occurrences).toHaveLength(2);
    const nowhere = { occurrenceStartMs: occurrenceStartMs + 1, title: 'x' };
    expect((await update(caller, event.id, nowhere)).problem).toBe('INVALID_REQUEST');
  });

  it('shows an occurrence that was moved beyond the end of its series, and no other there', async () => {
    const caller = someone();
    const event = await made(caller, { recurrence: { freq: 'daily', count: 3 } });
    const occurrenceStartMs = startMs + 2 * dayMs;
    const movedMs = startMs + 12 * dayMs;
    await update(caller, event.id, { occurrenceStartMs, startMs: movedMs });
    const found = await windowOf(caller, { to: startMs + 60 * dayMs });
    expect(found.occurrences.map((one) => one.startMs)).toEqual([
      ...[startMs, startMs + dayMs, movedMs],
    ]);
    expect(starts(await windowOf(caller, { from: movedMs, to: movedMs + dayMs }))).toHaveLength(1);
  });

  it('counts occurrences that overlap, and finds each of them', async () => {
    const caller = someone();
    const recurrence = { freq: 'weekly', count: 30 } as const;
    const event = await made(caller, { endMs: startMs + 100 * dayMs, recurrence });
    expect(starts(await windowOf(caller, { to: startMs + 366 * dayMs }))).toHaveLength(30);
    const given = { occurrenceStartMs: startMs + 20 * 7 * dayMs, title: 'Other' };
    expect((await update(caller, event.id, given)).status).toBe(200);
  });

  it('moves changed occurrences with their series, by its clocks', async () => {
    const caller = someone();
    const recurrence = { freq: 'daily', timeZone: 'Europe/Paris', count: 5 } as const;
    const event = await made(caller, { recurrence });
    // 09:00 on 28 March, before the clocks change.
    await update(caller, event.id, { occurrenceStartMs: startMs + dayMs, title: 'Other' });
    const movedMs = startMs + 7 * dayMs - hourMs;
    await update(caller, event.id, { startMs: movedMs, endMs: movedMs + hourMs });
    const found = await windowOf(caller, { to: startMs + 30 * dayMs });
    expect(found.events[0]?.overrides).toEqual([
      { occurrenceStartMs: movedMs + dayMs, title: 'Other' },
    ]);
    expect(found.occurrences).toHaveLength(5);
  });

  it('keeps cancelled occurrences with a rule that names none, and takes those that it names', async () => {
    const caller = someone();
    const event = await made(caller, { recurrence: { freq: 'daily', count: 6 } });
    const [second, fifth] = [startMs + dayMs, startMs + 4 * dayMs];
    for (const occurrenceStartMs of [second, fifth])
      await remove(caller, event.id, { occurrenceStartMs });
    const exceptions = async (recurrence: object) =>
      (await update(caller, event.id, { recurrence })).body.event.recurrence?.exceptMs;
    expect(await exceptions({ freq: 'daily', count: 10 })).toEqual([second, fifth]);
    expect((await windowOf(caller, { to: startMs + 30 * dayMs })).occurrences).toHaveLength(8);
    expect(await exceptions({ freq: 'daily', count: 4 })).toEqual([second]);
    expect(await exceptions({ freq: 'daily', count: 4, exceptMs: [] })).toEqual([]);
    expect((await windowOf(caller)).occurrences).toHaveLength(4);
  });

  it('drops changed occurrences that its rule has no more', async () => {
    const caller = someone();
    const event = await made(caller, { recurrence: { freq: 'daily', count: 6 } });
    const named = [1, 2, 3, 4, 5].map((day) => startMs + day * dayMs);
    for (const occurrenceStartMs of named)
      await update(caller, event.id, { occurrenceStartMs, title: 'Other' });
    const left = async (recurrence: object | null) =>
      (await update(caller, event.id, { recurrence })).body.event.overrides.map(
        (one) => (one.occurrenceStartMs - startMs) / dayMs,
      );
    expect(await left({ freq: 'daily', count: 5 })).toEqual([1, 2, 3, 4]);
    expect(await left({ freq: 'daily', untilMs: startMs + 3 * dayMs })).toEqual([1, 2, 3]);
    const exceptMs = [startMs + 3 * dayMs];
    expect(await left({ freq: 'daily', count: 5, exceptMs })).toEqual([1, 2]);
    expect(await left({ freq: 'daily', interval: 2 })).toEqual([2]);
    expect((await windowOf(caller)).occurrences).toHaveLength(4);
    expect(await left(null)).toEqual([]);
    expect((await windowOf(caller)).occurrences).toHaveLength(1);
    expect(await left({ freq: 'daily', count: 2 })).toEqual([]);
  });

  /** A Friday's series on Mondays, Wednesdays and Fridays: the second one is cancelled, the third one is another. */
  async function ofDays(caller: Caller): Promise<CalendarEvent> {
    const recurrence = { freq: 'weekly', byDay: ['MO', 'WE', 'FR'] } as const;
    const event = await made(caller, { recurrence });
    await update(caller, event.id, { occurrenceStartMs: startMs + 5 * dayMs, title: 'Other' });
    await remove(caller, event.id, { occurrenceStartMs: startMs + 3 * dayMs });
    return event;
  }
  const namesOf = ({ recurrence, overrides }: CalendarEvent) => ({
    cancelled: recurrence?.exceptMs,
    changed: overrides.map((one) => one.occurrenceStartMs),
  });
  const movedBy = async (
    caller: Caller,
    { id }: CalendarEvent,
    byMs: number,
    given: object = {},
  ) => {
    const movedTimes = { startMs: startMs + byMs, endMs: startMs + byMs + hourMs };
    return namesOf((await update(caller, id, { ...movedTimes, ...given })).body.event);
  };

  it.each([
    ['another time', 2 * hourMs, { cancelled: [3], changed: [5] }],
    ['a later day', 3 * dayMs + 2 * hourMs, { cancelled: [3], changed: [5] }],
    ['an earlier day', -2 * dayMs + 2 * hourMs, { cancelled: [3], changed: [5] }],
    ['a day after both', 7 * dayMs, { cancelled: [], changed: [] }],
  ])('leaves occurrences of a rule that says its days on these: %s', async (_, byMs, days) => {
    const caller = someone();
    const timeMs = ((byMs % dayMs) + dayMs) % dayMs;
    const at = (day: number) => startMs + day * dayMs + timeMs;
    expect(await movedBy(caller, await ofDays(caller), byMs)).toEqual({
      ...{ cancelled: days.cancelled.map(at), changed: days.changed.map(at) },
    });
  });

  it('moves occurrences with a start whose days are given anew', async () => {
    const caller = someone();
    const recurrence = { freq: 'weekly', byDay: ['TU', 'TH', 'SA'] };
    expect(await movedBy(caller, await ofDays(caller), dayMs, { recurrence })).toEqual({
      ...{ cancelled: [startMs + 4 * dayMs], changed: [startMs + 6 * dayMs] },
    });
  });

  it('takes its rule and its cancelled occurrences along to another zone, as IANA spells it', async () => {
    const caller = someone();
    const zone = { timeZone: 'europe/PARIS' };
    const event = await made(caller, { ...zone, recurrence: { freq: 'daily', count: 5 } });
    expect([event.timeZone, event.recurrence?.timeZone]).toEqual(['Europe/Paris', 'Europe/Paris']);
    // The clocks of Paris change in between, those of New York do not.
    const there = startMs + 3 * dayMs - hourMs;
    await remove(caller, event.id, { occurrenceStartMs: there });
    const { body } = await update(caller, event.id, { timeZone: 'america/new_york' });
    expect(body.event).toMatchObject({
      timeZone: 'America/New_York',
      recurrence: { timeZone: 'America/New_York', exceptMs: [startMs + 3 * dayMs] },
    });
    const own = { freq: 'daily', timeZone: 'Asia/Tokyo' };
    await update(caller, event.id, { recurrence: own });
    const kept = await update(caller, event.id, { timeZone: 'UTC' });
    expect(kept.body.event).toMatchObject({
      timeZone: 'UTC',
      recurrence: { timeZone: 'Asia/Tokyo' },
    });
  });

  it('leaves an event in its calendar: another one is refused, whether it is there or not', async () => {
    const caller = someone();
    const event = await made(caller);
    const other = await calendarOf(caller);
    for (const calendarId of [other.id, unknownId('cal')])
      expect((await update(caller, event.id, { calendarId, title: 'x' })).problem).toBe(
        'INVALID_REQUEST',
      );
    const same = await update(caller, event.id, { calendarId: event.calendarId, title: 'Other' });
    expect(same.body.event).toMatchObject({ title: 'Other', calendarId: event.calendarId });
  });

  it('splits a series from an occurrence on', async () => {
    const caller = someone();
    const recurrence = { freq: 'daily', timeZone: 'Europe/Paris', count: 4 } as const;
    const event = await made(caller, { recurrence });
    const occurrenceStartMs = startMs + dayMs;
    const given = { occurrenceStartMs, scope: 'following', title: 'After' };
    const { event: after } = (await update(caller, event.id, given)).body;
    expect(after).toMatchObject({ title: 'After', startMs: occurrenceStartMs, version: 1 });
    expect(after.recurrence).toMatchObject({ count: 3 });
    expect(after.id).not.toBe(event.id);
    const found = await windowOf(caller);
    expect(starts(found)).toEqual([
      ...['2026-03-27T08:00', '2026-03-28T08:00', '2026-03-29T07:00', '2026-03-30T07:00'],
    ]);
    expect(found.occurrences.map(({ eventId }) => eventId === after.id)).toEqual([
      ...[false, true, true, true],
    ]);
    const again = { ...given, id: after.id, occurrenceStartMs: occurrenceStartMs + dayMs - hourMs };
    const preview = await service.call<Preview>(
      calendarEvents.update,
      { ...again, scope: 'following' as const, title: 'Later' },
      { caller, preview: true },
    );
    // Beside the shorter series, which ends at a time, what the new one has otherwise.
    expect(preview.body.difference).toMatchObject({
      before: { recurrence: { count: 3 }, created: [] },
      after: {
        recurrence: { count: null },
        created: [{ title: 'Later', recurrence: { count: 2 } }],
      },
    });
    expect(preview.body.difference.after).not.toHaveProperty('title');
    // One commit emits them, for two resources.
    expect((await typesOf(caller)).sort()).toEqual([
      ...['calendar_event.created', 'calendar_event.created', 'calendar_event.updated'],
    ]);
  });
});

describe('events.remove', () => {
  it('deletes an event, cancels one occurrence, or ends a series', async () => {
    const caller = someone();
    const recurrence = { freq: 'weekly', timeZone: 'Europe/Paris' } as const;
    const event = await made(caller, { recurrence });
    const first = { occurrenceStartMs: startMs };
    expect((await remove(caller, event.id, first)).body).toEqual({ ok: true, id: event.id });
    const read = await service.call<{ event: CalendarEvent; me: string }>(
      calendarEvents.get,
      { id: event.id },
      { caller },
    );
    expect(read.body).toMatchObject({
      ...{ me: 'max@acme.test', event: { recurrence: { exceptMs: [startMs] } } },
    });
    // Summer time has begun: an hour earlier by UTC.
    const second = startMs + 7 * dayMs - hourMs;
    await remove(caller, event.id, { occurrenceStartMs: second, scope: 'following' });
    expect((await windowOf(caller, { to: startMs + 60 * dayMs })).occurrences).toEqual([]);
    expect((await remove(caller, event.id)).status).toBe(200);
    expect((await service.call(calendarEvents.get, { id: event.id }, { caller })).problem).toBe(
      'EVENT_NOT_FOUND',
    );
    expect((await typesOf(caller)).at(-1)).toBe('calendar_event.deleted');
  });
});
