import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Caller } from '@postroom/access';
import { calendarEvents, newId, Problem, type EventList } from '@postroom/contracts';
import { aMember } from '@postroom/service-testing';
import { SchedulingService } from '../testing/scheduling-service.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.parse('2026-03-27T08:00:00Z');
/** The slowest rule that is accepted: it takes seconds, and has no occurrence. */
const slow = 'FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=5;COUNT=2000';

/** 503 is also what the gateway makes of no answer in time. */
const statusOf = (answer: Promise<{ readonly status: number }>): Promise<number> =>
  answer.then(
    ({ status }) => status,
    (error: unknown) => {
      if (error instanceof Problem && error.code === 'SERVICE_UNAVAILABLE') return 503;
      throw error;
    },
  );

describe('writing what repeats', () => {
  let service: SchedulingService;
  beforeAll(async () => {
    service = await SchedulingService.start();
  });
  afterAll(() => service.close());

  /** A workspace, and what its member does. */
  async function aWorkspace() {
    const caller: Caller = aMember({ tenantId: newId('ten') });
    const { id: calendarId } = await service.calendar(caller);
    const times = { startMs, endMs: startMs + hourMs };
    const event = (rrule?: string) => {
      const recurrence = rrule === undefined ? {} : { recurrence: { rrule, timeZone: 'UTC' } };
      return service.createEvent(caller, { calendarId, title: 'One', ...times, ...recurrence });
    };
    const change = (id: string, given: object) => service.updateEvent(caller, id, given);
    const task = (rrule: string) => service.task(caller, { dueMs: startMs, recurrence: { rrule } });
    const complete = (id: string) => service.updateTask(caller, id, { status: 'done' });
    const at = async (day: number) => {
      const from = startMs + day * dayMs;
      const window = { from, to: from + dayMs - 1 };
      const { body } = await service.call<EventList>(calendarEvents.list, window, { caller });
      return body.occurrences.length;
    };
    return { event, change, task, complete, at };
  }

  // Runs first: the attacks below are answered before the thread has finished with their rules.
  it('takes turns: of changes of one rule at once none is refused, and the last one counts', async () => {
    const { event, change, at } = await aWorkspace();
    const { id } = (await event('FREQ=DAILY;COUNT=3')).body.event;
    const counts = Array.from({ length: 8 }, (_, i) => 10 + i);
    const answers = await Promise.all(
      counts.map((count) => change(id, { recurrence: { freq: 'daily', count } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(counts.map(() => 200));
    const versions = answers.map(({ body }) => body.event.version).sort((a, b) => a - b);
    expect(versions).toEqual(counts.map((_, i) => i + 2));
    const last = answers.find(({ body }) => body.event.version === counts.length + 1);
    const count = last?.body.event.recurrence?.count ?? 0;
    expect([await at(count - 1), await at(count)]).toEqual([1, 0]);
  });

  it('holds nobody else up, however long its rule takes to follow', async () => {
    const [attacker, other] = [await aWorkspace(), await aWorkspace()];
    const task = await attacker.task(slow);
    expect((await other.event('FREQ=DAILY;COUNT=3')).status).toBe(201);
    let answered = 0;
    // More than there are connections to the database.
    const attacks = [
      ...Array.from({ length: 8 }, () => attacker.event(slow)),
      ...Array.from({ length: 4 }, () => attacker.complete(task.id)),
    ].map((answer) => statusOf(answer).finally(() => answered++));
    expect((await other.event()).status).toBe(201);
    // Each takes seconds: the other would wait for them in a transaction, or where requests are served.
    expect(answered).toBeLessThan(attacks.length);
    expect([200, 201, 503]).toEqual(expect.arrayContaining(await Promise.all(attacks)));
  });
});
