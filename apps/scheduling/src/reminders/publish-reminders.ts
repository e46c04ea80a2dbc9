import { startRounds } from '@postroom/concurrency';
import { statement, type Database } from '@postroom/persistence';
import type { Log } from '@postroom/service';
import { isId, newId, type RemindersDue, type TimelyReminder } from '@postroom/contracts';
import { eventsCommitted, onClock, type Consuming } from '@postroom/operations';
import { findEvent } from '../events/index.js';
import { findTask } from '../tasks/index.js';
import { lookAt, remindableEvent, remindableTask, type Look } from './due-reminders.js';

/** Subjects in one round, and in one transaction. */
const roundMax = 500;
const batchMax = 50;
/** Reminders in one notice. */
const noticeMax = 100;
/** A reminder published later than this is marked late. */
const lateMs = 60_000;
/** A subject whose reminders cannot be computed is put off, so that it does not hold up others. */
const putOffMs = 3_600_000;

const findDue = statement<{ tenantId: string; subjectIds: string[] }>(
  'reminders.due',
  'SELECT tenant_id AS "tenantId", subject_ids AS "subjectIds" FROM due_reminders($1)',
);

interface Cursor {
  readonly subjectId: string;
  readonly toldMs: number;
  readonly notices: number;
  readonly nowMs: number;
}

const claim = statement<Cursor>(
  'reminders.claim',
  `SELECT subject_id AS "subjectId", told_ms AS "toldMs", notices, now_ms AS "nowMs"
   FROM claim_reminders($1, $2)`,
);

/** The tenant of the rows makes PostgreSQL expect few of them, and look each cursor up by its id. */
const save = statement<object>(
  'reminders.save',
  `WITH told AS (
     INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
     SELECT $1, n.id, 'reminder.due', n.resource, n.sequence, n.envelope
     FROM json_to_recordset($2) AS n (id text, resource text, sequence bigint, envelope text)
   )
   UPDATE reminder_cursors c SET told_ms = l.told, notices = l.notices,
     look_ms = l.look - (extract(epoch FROM ahead_of($1)) * 1000)::bigint
   FROM json_to_recordset($3) AS l (tenant text, id text, told bigint, look bigint, notices bigint)
   WHERE c.tenant_id = $1 AND l.tenant = c.tenant_id AND c.subject_id = l.id`,
);

interface Parts {
  readonly database: Database;
  readonly log: Log;
}

/**
 * Publishes reminders as they become due; any number of replicas may do it at once.
 * @returns how to stop it: resolves when the round under way is over
 */
export const startReminders = (parts: {
  readonly database: Database;
  readonly log: Log;
}): (() => Promise<void>) =>
  startRounds(
    async (stopping) => {
      let isMore = true;
      while (isMore && !stopping.aborted) isMore = await publishDueReminders(parts);
    },
    {
      everyMs: 1_000,
      on: (wake) => onClock(parts.database, wake),
      onFailure: (err) => parts.log.warn({ err }, 'publishing reminders failed, retrying'),
    },
  );

/**
 * One round: publishes due reminders, a part of them when there are many. The cursor moves in the same
 * commit, so that each reminder is published once, whatever the number of replicas.
 * @returns whether there may be more
 */
export async function publishDueReminders(parts: Parts): Promise<boolean> {
  const due = await parts.database.rows(findDue, [roundMax]);
  let looked = 0;
  for (const { tenantId, subjectIds } of due) {
    looked += await publishOf(parts, tenantId, subjectIds).catch((err: unknown) => {
      parts.log.warn({ err, tenantId }, 'publishing reminders failed, retrying');
      return 0;
    });
  }
  const found = due.reduce((sum, { subjectIds }) => sum + subjectIds.length, 0);
  return found >= roundMax && looked > 0;
}

/** @returns how many events and tasks of a workspace were looked at here, and not by another replica */
async function publishOf(parts: Parts, tenantId: string, ids: readonly string[]): Promise<number> {
  let looked = 0;
  for (let at = 0; at < ids.length; at += batchMax) {
    looked += await publishBatch(parts, tenantId, ids.slice(at, at + batchMax));
  }
  return looked;
}

async function publishBatch(
  parts: Parts,
  tenantId: string,
  ids: readonly string[],
): Promise<number> {
  const { database } = parts;
  const told = await database.transaction(
    { begin: (rows) => rows(claim, [tenantId, ids]), commit: () => [] },
    async ({ rows }, cursors) => {
      if (cursors.length === 0) return { looked: 0, notices: 0 };
      const within: Rows = { rows: (asked, values) => rows(asked, [tenantId, ...values]) };
      const looks = await Promise.all(cursors.map((cursor) => lookOf(parts, within, cursor)));
      const notices = looks.flatMap((one) => one.notices);
      const cursorRows = looks.map(({ cursor, look, notices: { length } }) => ({
        ...{ tenant: tenantId, id: cursor.subjectId, told: look.toldMs, look: look.lookMs },
        notices: cursor.notices + length,
      }));
      await rows(save, [tenantId, JSON.stringify(notices), JSON.stringify(cursorRows)]);
      return { looked: cursors.length, notices: notices.length };
    },
    tenantId,
  );
  if (told.notices > 0) eventsCommitted(database);
  return told.looked;
}

type Rows = Pick<Consuming, 'rows'>;

interface Notice {
  readonly id: string;
  readonly resource: string;
  readonly sequence: number;
  readonly envelope: string;
}

/** The notices of one event or task. */
async function lookOf(
  { log }: Parts,
  within: Rows,
  cursor: Cursor,
): Promise<{ cursor: Cursor; look: Look; notices: Notice[] }> {
  const { subjectId, toldMs, nowMs } = cursor;
  const subject = await subjectOf(within, subjectId);
  try {
    const look = lookAt(subject.remindable, toldMs, nowMs);
    const reminders = look.due.map(({ dueMs, ...one }): TimelyReminder => ({
      ...{ ...subject.says, ...one, dueMs, late: nowMs - dueMs > lateMs },
    }));
    return { cursor, look, notices: noticesOf(cursor, subject.calendarId, reminders) };
  } catch (err) {
    log.error({ err, subject: subjectId }, 'computing reminders failed, retrying in an hour');
    return { cursor, look: { due: [], toldMs, lookMs: nowMs + putOffMs }, notices: [] };
  }
}

/** An event or a task; the transaction has its cursor, which is deleted with it. */
async function subjectOf(within: Rows, id: string) {
  if (isId('tsk', id)) {
    const task = await findTask(within, id);
    const says = { taskId: id, assignee: task?.assignee ?? null };
    return { says, calendarId: null, remindable: task ? remindableTask(task) : nothing };
  }
  const event = await findEvent(within, id);
  const remindable = event ? remindableEvent(event) : nothing;
  return { says: { eventId: id }, calendarId: event?.calendarId ?? null, remindable };
}

/** A subject that is being deleted. */
const nothing = { minutes: [], firstMs: 0, lastMs: () => 0, starts: () => [] };

function noticesOf(
  { subjectId, notices, nowMs }: Cursor,
  calendarId: string | null,
  reminders: readonly TimelyReminder[],
): Notice[] {
  return Array.from({ length: Math.ceil(reminders.length / noticeMax) }, (_, nth) => {
    const envelope: RemindersDue = {
      occurredAt: new Date(nowMs).toISOString(),
      calendarId,
      reminders: reminders.slice(nth * noticeMax, (nth + 1) * noticeMax),
    };
    return {
      id: newId('evn'),
      // Numbered apart from the events of the event or task itself.
      resource: `${subjectId} reminders`,
      sequence: notices + nth + 1,
      envelope: JSON.stringify(envelope),
    };
  });
}
