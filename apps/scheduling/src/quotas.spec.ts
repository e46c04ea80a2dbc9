import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@postroom/access';
import { calendars, eventImportSteps, newId, tasks } from '@postroom/contracts';
import { aMember } from '@postroom/service-testing';
import { SchedulingService } from './testing/scheduling-service.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.parse('2026-03-27T08:00:00Z');
const isRefused = { status: 409, problem: 'QUOTA_EXCEEDED' };

let service: SchedulingService;
beforeAll(async () => {
  service = await SchedulingService.start({ QUOTA_EVENTS: '3', QUOTA_TASKS: '3' });
});
afterAll(() => service.close());

const someone = (): Caller => aMember({ tenantId: newId('ten') });

describe('the quota of tasks', () => {
  const create = (caller: Caller, given: object = {}) =>
    service.createTask(caller, { title: 'Call back', ...given });

  it('refuses one too many, of this workspace alone, until one is deleted', async () => {
    const caller = someone();
    const made = [await create(caller), await create(caller), await create(caller)];
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await create(caller)).toMatchObject(isRefused);
    expect((await create(someone())).status).toBe(201);
    expect((await service.usage(caller)).tasks).toEqual({ limit: 3, used: 3 });
    await service.call(tasks.remove, { id: made[0]?.body.task.id ?? '' }, { caller });
    expect((await create(caller)).status).toBe(201);
  });

  it('counts the next one of a task that repeats', async () => {
    const caller = someone();
    const recurrence = { rrule: 'FREQ=DAILY', timeZone: 'UTC' };
    const { task } = (await create(caller, { dueMs: startMs, recurrence })).body;
    const done = (id: string) => service.updateTask(caller, id, { status: 'done' });
    const second = (await done(task.id)).body.task.nextTaskId ?? '';
    const third = (await done(second)).body.task.nextTaskId ?? '';
    expect((await service.usage(caller)).tasks).toEqual({ limit: 3, used: 3 });
    expect(await done(third)).toMatchObject(isRefused);
    await service.call(tasks.remove, { id: task.id }, { caller });
    expect((await done(third)).status).toBe(200);
  });
});

describe('the quota of events', () => {
  const calendarOf = async (caller: Caller) => (await service.calendar(caller)).id;
  const create = (caller: Caller, calendarId: string, given: object = {}) => {
    const times = { startMs, endMs: startMs + hourMs };
    return service.createEvent(caller, { calendarId, title: 'Stand-up', ...times, ...given });
  };
  const used = async (caller: Caller) => (await service.usage(caller)).events;

  it('refuses one too many, in whatever calendar, until a calendar is deleted', async () => {
    const caller = someone();
    const [one, other] = [await calendarOf(caller), await calendarOf(caller)];
    for (const calendarId of [one, other, other])
      expect((await create(caller, calendarId)).status).toBe(201);
    expect(await create(caller, one)).toMatchObject(isRefused);
    expect(await used(caller)).toEqual({ limit: 3, used: 3 });
    await service.call(calendars.remove, { id: other }, { caller });
    expect(await used(caller)).toEqual({ limit: 3, used: 1 });
    expect((await create(caller, one)).status).toBe(201);
  });

  it('counts the second part of a series that is split', async () => {
    const caller = someone();
    const calendarId = await calendarOf(caller);
    const recurrence = { rrule: 'FREQ=DAILY', timeZone: 'UTC' };
    const { event } = (await create(caller, calendarId, { recurrence })).body;
    const split = (id: string, days: number) => {
      const occurrenceStartMs = startMs + days * dayMs;
      const given = { occurrenceStartMs, scope: 'following', title: `${days}` };
      return service.updateEvent(caller, id, given);
    };
    const second = (await split(event.id, 2)).body.event.id;
    const third = (await split(second, 4)).body.event.id;
    expect(await split(third, 6)).toMatchObject(isRefused);
    expect(await used(caller)).toEqual({ limit: 3, used: 3 });
  });

  it('refuses the step of an import that would exceed it, and not what is overwritten', async () => {
    const caller = someone();
    const calendarId = await calendarOf(caller);
    const take = (...uids: string[]) => {
      const entries = uids.map((uid) =>
        Buffer.from(
          `BEGIN:VEVENT\r\nUID:${uid}\r\nSUMMARY:One\r\nDTSTART:20260327T080000Z\r\nDTEND:20260327T090000Z\r\nEND:VEVENT\r\n`,
        ).toString('base64'),
      );
      const places = entries.map((_, i) => i + 1);
      const input = { calendarId, places, entries, zones: '', timeZone: 'UTC', dryRun: false };
      return service.call(eventImportSteps.take, input, { caller });
    };
    expect((await take('a', 'b', 'c')).body).toMatchObject({ created: 3 });
    expect(await take('d')).toMatchObject(isRefused);
    expect((await take('a', 'b', 'c')).body).toMatchObject({ created: 0, updated: 3 });
    expect(await used(caller)).toEqual({ limit: 3, used: 3 });
  });
});
