import {
  momentOf,
  Problem,
  recurrenceNeedsDue,
  taskTimeZone,
  type Creator,
  type RecurrenceRule,
  type Reminder,
  type TaskContent,
  type TaskPriority,
  type TaskSource,
  type TaskStatus,
  type TaskTiming,
  wallClock,
} from '@postroom/contracts';
import {
  countFrom,
  merged,
  mergedRule,
  mergedZone,
  storedRule,
  type SeriesAnswers,
} from '../recurrence/index.js';

/** The repeat rule of a task, as it is stored. */
export interface TaskRule extends RecurrenceRule {
  /** The moment that the next one follows. */
  readonly from: TaskTiming;
  /** Time of the day (ms) by the rule, where the clocks skip it on the day that the task is due; else null. */
  readonly skippedMs: number | null;
}

/** The rule of a column, which may be older than some of its parts. */
export const storedTaskRule = (rule: RecurrenceRule | null): TaskRule | null => {
  const stored = storedRule(rule);
  return stored && { ...{ from: 'due', skippedMs: null }, ...stored };
};

/** The content of a task, as it is stored. */
export interface TaskRecord {
  readonly title: string;
  readonly notes: string;
  readonly status: TaskStatus;
  readonly priority: TaskPriority;
  readonly assignee: string | null;
  readonly teamId: string | null;
  readonly dueMs: number | null;
  readonly timeZone: string;
  readonly threadId: string | null;
  readonly recurrence: TaskRule | null;
  readonly reminders: readonly Reminder[];
}

/** A task as it is stored. */
export interface StoredTask extends TaskRecord {
  readonly id: string;
  readonly source: TaskSource;
  readonly createdBy: Creator;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly completedAt: Date | null;
  readonly completedBy: Creator | null;
  readonly previousTaskId: string | null;
  readonly nextTaskId: string | null;
  readonly version: number;
  /** Number of its last event. */
  readonly sequence: number;
}

/** An empty task. */
export const emptyTask: TaskRecord = {
  ...{ title: '', notes: '', status: 'todo', priority: 'normal', assignee: null, teamId: null },
  ...{ dueMs: null, timeZone: taskTimeZone, threadId: null, recurrence: null, reminders: [] },
};

/**
 * A record with what is given of it.
 * @throws Problem INVALID_REQUEST for a rule without a due date
 */
export function withGiven(before: TaskRecord, given: TaskContent): TaskRecord {
  const timeZone = mergedZone(given.timeZone, before.timeZone, taskTimeZone);
  const record: TaskRecord = {
    title: given.title?.trim() ?? before.title,
    notes: merged(given.notes, before.notes, ''),
    status: given.status ?? before.status,
    priority: given.priority ?? before.priority,
    assignee: merged(given.assignee, before.assignee, null),
    teamId: merged(given.teamId, before.teamId, null),
    dueMs: merged(given.dueMs, before.dueMs, null),
    timeZone,
    threadId: merged(given.threadId, before.threadId, null),
    recurrence: ruleOf(given, before, timeZone),
    reminders: merged(given.reminders, [...before.reminders], []),
  };
  if (record.recurrence && record.dueMs === null)
    throw new Problem('INVALID_REQUEST', { violations: [recurrenceNeedsDue] });
  return record;
}

function ruleOf(given: TaskContent, before: TaskRecord, timeZone: string): TaskRule | null {
  const { recurrence: known, dueMs } = before;
  const rule = mergedRule(given.recurrence, before, timeZone);
  if (!rule) return null;
  const stays = (given.dueMs ?? dueMs) === dueMs && rule.timeZone === known?.timeZone;
  return {
    ...rule,
    from: given.recurrence?.from ?? known?.from ?? 'due',
    skippedMs: stays ? known.skippedMs : null,
  };
}

const dayMs = 86_400_000;
const dayOf = (wallMs: number): number => Math.floor(wallMs / dayMs) * dayMs;

/**
 * The task that repeats one which is done: due at the first occurrence after both its due time and its completion.
 * The rule is asked by its wall clock, as if that were UTC: a time that the clocks skip on one day is back on the next.
 * @returns null where the rule has come to its end
 */
export function nextOccurrence(
  { recurrence, dueMs, ...task }: TaskRecord,
  completedMs: number,
  asked: SeriesAnswers,
): TaskRecord | null {
  if (!recurrence || dueMs === null) return null;
  const { timeZone, skippedMs, from, count } = recurrence;
  const wallOf = (ms: number): number => wallClock(ms, timeZone);
  const isFromDue = from === 'due';
  const [due, completed] = [wallOf(dueMs), wallOf(completedMs)];
  const time = skippedMs ?? due - dayOf(due);
  const startMs = dayOf(isFromDue ? due : completed) + time;
  const afterMs = isFromDue ? Math.max(startMs, completed) : startMs;
  const rule = byWallClock(recurrence, wallOf);
  const next = asked.answerTo({ rule: { ...rule, count: null }, startMs, ask: 'next', afterMs });
  if (next === null) return null;
  const left = isFromDue ? countFrom({ rule, startMs }, next, asked) : oneLess(count);
  if (left !== null && left <= 0) return null;
  return { ...task, status: 'todo', ...dueAt(next, { ...recurrence, count: left }) };
}

const oneLess = (count: number | null): number | null => (count === null ? null : count - 1);

/** A task that is due when the clocks of its rule show a time. */
function dueAt(wallMs: number, rule: TaskRule): Pick<TaskRecord, 'dueMs' | 'recurrence'> {
  const dueMs = momentOf(wallMs, rule.timeZone);
  const isThere = wallClock(dueMs, rule.timeZone) === wallMs;
  return { dueMs, recurrence: { ...rule, skippedMs: isThere ? null : wallMs - dayOf(wallMs) } };
}

/** A rule over wall time, as if it were UTC. */
function byWallClock(
  { from: _, skippedMs: __, ...rule }: TaskRule,
  wallOf: (ms: number) => number,
): RecurrenceRule {
  return {
    ...rule,
    timeZone: 'UTC',
    untilMs: rule.untilMs === null ? null : wallOf(rule.untilMs),
    exceptMs: rule.exceptMs.map(wallOf),
    addedMs: rule.addedMs.map(wallOf),
  };
}
