import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MemberCaller } from '@postroom/access';
import {
  newId,
  type CalendarEvent,
  type RemindersDue,
  type TimelyReminder,
} from '@postroom/contracts';
import { threadFile } from '@postroom/service/threads';
import { aMember } from '@postroom/service-testing';
import { eventually, until } from '@postroom/testing/until';
import { repetitions } from '@postroom/testing/repetitions';
import { SchedulingService } from '../testing/scheduling-service.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let service: SchedulingService;
beforeAll(async () => {
  service = await SchedulingService.start();
});
afterAll(() => service.close());

const eventOf: SchedulingService['event'] = (...given) => service.event(...given);

/** An event whose reminder of ten minutes is due at a moment. */
const dueAt = (dueMs: number) => {
  const startMs = dueMs + 10 * minuteMs;
  return { startMs, endMs: startMs + hourMs, reminders: [{ minutes: 10 }] };
};

/** Every notice of a workspace, whether it waits or has left. */
async function noticesOf({ tenantId }: Pick<MemberCaller, 'tenantId'>): Promise<RemindersDue[]> {
  const found = await service.rows<{ envelope: string }>(
    `SELECT envelope FROM outbox WHERE tenant_id = $1 AND type = 'reminder.due'
     UNION ALL SELECT envelope FROM published_events WHERE tenant_id = $1 AND type = 'reminder.due'`,
    [tenantId],
  );
  return found.map(({ envelope }) => JSON.parse(envelope) as RemindersDue);
}
const toldTo = async (caller: Pick<MemberCaller, 'tenantId'>): Promise<TimelyReminder[]> =>
  (await noticesOf(caller)).flatMap(({ reminders }) => reminders);

/** Waits until a workspace has received that many events. */
function toldSoon(caller: MemberCaller, count: number): Promise<TimelyReminder[]> {
  const told = () => toldTo(caller);
  return eventually(told, ({ length }) => length >= count);
}

/** As if the cursor of an event or task that has not been told of had been left then, since everything was down. */
const setBack = (id: string, toldMs: number) =>
  service.rows(
    'UPDATE reminder_cursors SET told_ms = $2, look_ms = $2 WHERE subject_id = $1 AND notices = 0',
    [id, toldMs],
  );

/** An event whose reminder is due soon, however long it takes to create it. */
async function soonDue(caller: MemberCaller, inMs = 500): Promise<CalendarEvent> {
  const nowMs = Date.now();
  const event = await eventOf(caller, dueAt(nowMs + inMs));
  await setBack(event.id, nowMs);
  return event;
}

/** Waits until all has been looked at, and nothing is to come. */
const lookedAt = (...ids: readonly string[]): Promise<void> =>
  until(async () => {
    const waiting = 'SELECT FROM reminder_cursors WHERE subject_id = ANY ($1) AND look_ms > 0';
    return (await service.rows(waiting, [ids])).length === 0;
  });

describe('the reminder of an event', () => {
  it('is told when it is due, once, of the calendar whose readers may know', async () => {
    const caller = aMember();
    const { id, calendarId, startMs } = await soonDue(caller, 2_500);
    const dueMs = startMs - 10 * minuteMs;
    const expected = { eventId: id, occurrenceStartMs: startMs, dueMs, minutes: 10, late: false };
    expect(await toldSoon(caller, 1)).toEqual([expected]);
    expect(Date.now()).toBeGreaterThanOrEqual(dueMs);
    await service.restart();
    // When another one is told, this one would have been told again.
    await soonDue(caller);
    await toldSoon(caller, 2);
    const told = (await noticesOf(caller)).filter((notice) => notice.calendarId === calendarId);
    expect(told).toEqual([
      { occurredAt: expect.stringMatching(/Z$/), calendarId, reminders: [expected] },
    ]);
  });

  it('that became due while everything was down is told late, and marked so', async () => {
    const caller = aMember();
    const dueMs = Date.now() - 5 * hourMs;
    const { id } = await eventOf(caller, dueAt(dueMs));
    await setBack(id, dueMs - hourMs);
    expect(await toldSoon(caller, 1)).toMatchObject([{ eventId: id, dueMs, late: true }]);
  });

  it('that was due before the event said so is not told', async () => {
    const caller = aMember();
    const { id } = await eventOf(caller, dueAt(Date.now() - minuteMs));
    await lookedAt(id);
    expect(await toldTo(caller)).toEqual([]);
  });

  it('comes again for the new time of an event that is moved, and not for another change', async () => {
    const caller = aMember();
    const { id } = await soonDue(caller);
    await toldSoon(caller, 1);
    await service.updateEvent(caller, id, { title: 'Other' });
    await lookedAt(id);
    expect(await toldTo(caller)).toHaveLength(1);
    const { startMs, endMs } = dueAt(Date.now() + 500);
    await service.updateEvent(caller, id, { startMs, endMs });
    const told = await toldSoon(caller, 2);
    expect(told.map((one) => one.eventId)).toEqual([id, id]);
    expect(told.map((one) => one.occurrenceStartMs)).toContain(startMs);
  });

  it('does not come once the event is deleted or cancelled', async () => {
    const caller = aMember();
    const dueMs = Date.now() - hourMs;
    const [gone, off] = [await eventOf(caller, dueAt(dueMs)), await eventOf(caller, dueAt(dueMs))];
    await service.removeEvent(caller, gone.id);
    await service.updateEvent(caller, off.id, { status: 'cancelled' });
    for (const { id } of [gone, off]) await setBack(id, dueMs - hourMs);
    await lookedAt(gone.id, off.id);
    expect(await toldTo(caller)).toEqual([]);
    expect(await service.count('reminder_cursors', caller)).toBe(1);
  });

  it('of each occurrence of a series is told, also of many that were missed', async () => {
    const caller = aMember();
    const dueMs = Date.now() - 300 * 24 * hourMs;
    const recurrence = { freq: 'daily', interval: 1, timeZone: 'UTC' };
    const { id } = await eventOf(caller, { ...dueAt(dueMs), recurrence });
    await setBack(id, dueMs - hourMs);
    const told = await toldSoon(caller, 301);
    expect(new Set(told.map((one) => one.occurrenceStartMs)).size).toBe(told.length);
    expect(told).toHaveLength(301);
  });
});

describe('the reminder of a task', () => {
  it('is told with who is to do it, while the task is open', async () => {
    const caller = aMember();
    const dueMs = Date.now() - hourMs;
    const input = { title: 'Call', dueMs, reminders: [{ minutes: 11 }], assignee: 'max@acme.test' };
    const [open, done] = [await service.task(caller, input), await service.task(caller, input)];
    await service.updateTask(caller, done.id, { status: 'done' });
    for (const { id } of [open, done]) await setBack(id, dueMs - hourMs);
    await lookedAt(open.id, done.id);
    const told = { assignee: 'max@acme.test', dueMs: dueMs - 11 * minuteMs, minutes: 11 };
    expect(await noticesOf(caller)).toMatchObject([
      { calendarId: null, reminders: [{ taskId: open.id, ...told }] },
    ]);
  });
});

describe('many reminders', () => {
  /** Events of a workspace, as they stand in the table, whose reminders become due within a span from now. */
  async function addMany(tenantId: string, count: number, fromNowMs: number, withinMs: number) {
    const { id: calendarId } = await service.calendar(aMember({ tenantId }));
    const base = Date.now() + fromNowMs + 10 * minuteMs;
    const content = {
      ...{ title: 't', description: '', location: '', timeZone: 'UTC', allDay: false, busy: true },
      ...{ status: 'confirmed', organizer: null, attendees: [], recurrence: null, overrides: [] },
      ...{ reminders: [{ minutes: 10 }], conferenceLink: null },
    };
    await service.rows(
      `INSERT INTO calendar_events (tenant_id, id, calendar_id, uid, start_ms, end_ms, first_ms, last_ms,
         has_reminders, content, created_by, created_at, updated_at)
       SELECT $1, i.id, $2, i.id, t.ms, t.ms + 3600000, t.ms, t.ms + 3600000, true, $3,
         '{"type": "system", "id": null}', now(), now()
       FROM unnest($4::text[]) WITH ORDINALITY AS i (id, nth)
       CROSS JOIN LATERAL (SELECT $5::bigint + (i.nth * $6 / $7)::bigint AS ms) t`,
      [
        ...[tenantId, calendarId, JSON.stringify(content)],
        ...[Array.from({ length: count }, () => newId('evt')), base, withinMs, count],
      ],
    );
  }

  it('of one workspace do not make another one wait', async () => {
    const [many, few] = [aMember(), aMember()];
    await addMany(many.tenantId, 2_000, 1_000_000, 1);
    await addMany(few.tenantId, 2, 2_000_000, 1);
    // The workspace with many has waited longest.
    const moves = [
      [many.tenantId, 50_000],
      [few.tenantId, 1_000],
    ] as const;
    const admin = service.admin;
    await admin.query('BEGIN');
    for (const [tenantId, ms] of moves) {
      await admin.query(
        `UPDATE reminder_cursors SET look_ms = floor(extract(epoch FROM now()) * 1000) - $2
         WHERE tenant_id = $1`,
        [tenantId, ms],
      );
    }
    const { rows } = await admin.query<{ tenant_id: string; subject_ids: string[] }>(
      'SELECT * FROM due_reminders(500)',
    );
    await admin.query('ROLLBACK');
    const shares = new Map(rows.map((row) => [row.tenant_id, row.subject_ids.length]));
    expect(shares.get(few.tenantId)).toBe(2);
    expect(shares.get(many.tenantId)).toBeGreaterThan(200);
  });

  it('are each told once by two replicas that are killed again and again', async () => {
    const count = repetitions(10_000, 300);
    const workspaces = Array.from({ length: 5 }, () => aMember());
    const beganMs = Date.now();
    for (const { tenantId } of workspaces) await addMany(tenantId, count / 5, 6_000, count / 2);
    // The last test: from here on two processes are alone.
    await service.stop();
    // Reminders that became due while they were added, or while that stopped, are told too.
    const tenants = workspaces.map(({ tenantId }) => tenantId);
    await service.rows(
      'UPDATE reminder_cursors SET told_ms = $2 WHERE tenant_id = ANY ($1) AND notices = 0',
      [tenants, beganMs],
    );
    const folder = new URL('../testing/reminder-replica.worker.ts', import.meta.url).href;
    const { filename, execArgv } = threadFile(folder, 'reminder-replica.worker');
    const start = (): ChildProcess =>
      spawn(process.execPath, [...execArgv, filename, service.database.urls.scheduling], {
        stdio: 'ignore',
      });
    const replicas = [start(), start()];
    // A replica takes seconds of CPU to start: on a busy machine none begins until the last kill.
    const killsMax = repetitions(40, 2);
    let kills = 0;
    const toldToAll = async () => {
      const told: TimelyReminder[] = [];
      for (const workspace of workspaces) told.push(...(await toldTo(workspace)));
      return told;
    };
    const endMs = Date.now() + 240_000;
    while (kills < 2 || ((await toldToAll()).length < count && Date.now() < endMs)) {
      await sleep(1_000 + Math.random() * 2_000);
      if (kills >= killsMax) continue;
      replicas[kills % 2]?.kill('SIGKILL');
      replicas[kills % 2] = start();
      kills += 1;
    }
    await sleep(3_000);
    for (const replica of replicas) replica.kill('SIGKILL');
    const told = await toldToAll();
    expect(kills).toBeGreaterThan(1);
    expect(told).toHaveLength(count);
    expect(new Set(told.map(({ eventId }) => eventId)).size).toBe(count);
  });
});
