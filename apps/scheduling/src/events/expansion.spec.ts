import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  calendarEvents,
  calendars,
  newId,
  type Calendar,
  type CalendarEvent,
  type EventList,
} from '@postroom/contracts';
import { aMember, TestService } from '@postroom/service-testing';
import { longestTurn } from '@postroom/testing';
import { schedulingService } from '../scheduling-app.js';

const hourMs = 3_600_000;
const startMs = Date.parse('2026-03-27T08:00:00Z');

describe('the window of a calendar of a thousand series that have no occurrence in it', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await TestService.launch(schedulingService);
  });
  afterAll(() => service.close());

  /** A workspace with series of a rule. */
  async function withSeries(count: number, rrule: string) {
    const caller = aMember({ tenantId: newId('ten') });
    const calendar = { name: 'Team', scope: 'personal' as const };
    const made = await service.call<{ calendar: Calendar }>(calendars.create, calendar, { caller });
    const calendarId = made.body.calendar.id;
    const recurrence = { rrule, timeZone: 'Europe/Paris' };
    const times = { startMs, endMs: startMs + hourMs };
    const input = { calendarId, title: 'One', ...times, recurrence };
    const { body } = await service.call<{ event: CalendarEvent }>(calendarEvents.create, input, {
      caller,
    });
    // Each of them as the first, since to make a thousand takes long.
    await service.rows(
      `INSERT INTO calendar_events
       SELECT (jsonb_populate_record(e, jsonb_build_object('id', e.id || i, 'uid', e.uid || i))).*
       FROM calendar_events e, generate_series(2, $2::int) i WHERE e.id = $1`,
      [body.event.id, count],
    );
    const list = (days = 30) => {
      const from = startMs + 400 * 24 * hourMs;
      const window = { from, to: from + days * 24 * hourMs };
      return service.call<EventList>(calendarEvents.list, window, { caller });
    };
    return { list };
  }

  /**
   * The status of a list, the third time at the latest. On a busy machine the start of a thread after a rule that
   * took too long may take the rest of a request's time; without turns each would wait for the attacker’s six.
   */
  async function served(list: () => Promise<{ readonly status: number }>): Promise<number> {
    let status = 503;
    for (let time = 0; time < 3 && status === 503; time++) ({ status } = await list());
    return status;
  }

  it('holds nobody else up: neither requests, nor the windows of others', async () => {
    const never = await withSeries(1_000, 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31');
    const weekly = await withSeries(5, 'FREQ=WEEKLY');
    expect((await weekly.list()).body.events).toHaveLength(5);
    const turns = longestTurn();
    const answers = new Set<number>();
    let isOver = false;
    const attack = async (): Promise<void> => {
      while (!isOver) answers.add((await never.list(36_500)).status);
    };
    const attacks = Promise.all(Array.from({ length: 6 }, attack));
    const others = [await served(weekly.list), await served(weekly.list)];
    isOver = true;
    await attacks;
    expect(others).toEqual([200, 200]);
    expect([200, 503]).toEqual(expect.arrayContaining([...answers]));
    expect(turns.stop()).toBeLessThan(1_000);
  });
});
