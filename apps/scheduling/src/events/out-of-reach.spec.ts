import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@postroom/access';
import {
  calendarEvents,
  calendars,
  eventImportSteps,
  newId,
  unknownId,
  type EntryCounts,
} from '@postroom/contracts';
import { aMember, anAdmin } from '@postroom/service-testing';
import { SchedulingService } from '../testing/scheduling-service.js';

let service: SchedulingService;
beforeAll(async () => {
  service = await SchedulingService.start();
});
afterAll(() => service.close());

const startMs = Date.parse('2026-03-27T08:00:00Z');
const times = { startMs, endMs: startMs + 3_600_000 };
const recurrence = { freq: 'daily', timeZone: 'Europe/Paris', count: 3 } as const;

const create = (caller: Caller, calendarId: string) =>
  service.createEvent(caller, { calendarId, title: 'Stand-up', ...times, recurrence });
const update: SchedulingService['updateEvent'] = (...given) => service.updateEvent(...given);

describe('an event that is out of reach', () => {
  it.each([
    ['another workspace’s', () => newId('ten'), 'EVENT_NOT_FOUND'],
    ['another member’s own', (tenantId: string) => tenantId, 'FORBIDDEN'],
  ])('is neither read nor changed: %s', async (_what, tenantOf, problem) => {
    const owner = aMember();
    const event = await service.event(owner, { ...times, recurrence });
    const { id } = event;
    const caller = aMember({ tenantId: tenantOf(owner.tenantId) });
    const occurrence = { occurrenceStartMs: startMs };
    const answers = [
      await service.call(calendarEvents.get, { id }, { caller }),
      await update(caller, id, { title: 'x' }),
      await update(caller, id, { ...occurrence, title: 'x' }),
      await update(caller, id, { ...occurrence, scope: 'following', title: 'x' }),
      await service.removeEvent(caller, id),
      await service.removeEvent(caller, id, occurrence),
    ];
    expect(answers.map((one) => one.problem)).toEqual(answers.map(() => problem));
    expect(await service.eventNow(owner, event)).toEqual(event);
  });

  it('is not there under an id that nobody has', async () => {
    const [caller, id] = [aMember(), unknownId('evt')];
    const answer = await service.call(calendarEvents.get, { id }, { caller });
    expect(answer.problem).toBe('EVENT_NOT_FOUND');
  });
});

describe('a calendar that is deleted while events are written into it', () => {
  it('takes all of them with it, and each writer is told', async () => {
    for (let run = 0; run < 5; run++) {
      const caller = anAdmin();
      const { id } = await service.calendar(caller, 'shared');
      const first = await Promise.all(Array.from({ length: 5 }, () => create(caller, id)));
      const entry = (uid: number) =>
        Buffer.from(
          `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART:20260327T080000Z\r\nDURATION:PT1H\r\nEND:VEVENT\r\n`,
        ).toString('base64');
      const entries = Array.from({ length: 20 }, (_, i) => entry(i));
      const input = { calendarId: id, places: entries.map((_, i) => i + 1), entries, zones: '' };
      const writes = [
        ...Array.from({ length: 10 }, () => create(caller, id)),
        ...first.map(({ body }, i) => update(caller, body.event.id, { title: `Title ${i}` })),
        service.call<EntryCounts>(eventImportSteps.take, input, { caller }),
      ];
      const removing = sleep(5 * run).then(() =>
        service.call<{ deletedEvents: number }>(calendars.remove, { id }, { caller }),
      );
      const [answers, removed] = await Promise.all([Promise.all(writes), removing]);
      expect(removed.status).toBe(200);
      const gone = [null, 'CALENDAR_NOT_FOUND', 'EVENT_NOT_FOUND'];
      for (const { problem } of answers) expect(gone).toContain(problem);
      expect(await service.count('calendar_events', caller)).toBe(0);
      const types = await service.eventTypes(caller);
      const told = (name: string): number => types.filter((type) => type === name).length;
      expect(told('calendar_event.created')).toBe(removed.body.deletedEvents);
      expect(told('calendar_event.deleted')).toBe(removed.body.deletedEvents);
      expect((await create(caller, id)).problem).toBe('CALENDAR_NOT_FOUND');
    }
  });
});
