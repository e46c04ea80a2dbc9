import {
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
} from '@postroom/contracts';
import {
  countFrom,
  merged,
  mergedRule,
  mergedZone,
  type SeriesAnswers,
} from '../recurrence/index.js';

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
  readonly recurrence: RecurrenceRule | null;
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
    recurrence: mergedRule(given.recurrence, before, timeZone),
    reminders: merged(given.reminders, [...before.reminders], []),
  };
  if (record.recurrence && record.dueMs === null)
    throw new Problem('INVALID_REQUEST', { violations: [recurrenceNeedsDue] });
  return record;
}

/** The task that repeats one which is done; null where the rule has come to its end. */
export function nextOccurrence(
  { recurrence, dueMs, ...task }: TaskRecord,
  asked: SeriesAnswers,
): TaskRecord | null {
  if (!recurrence || dueMs === null) return null;
  const series = { rule: recurrence, startMs: dueMs };
  const uncounted = { ...series, rule: { ...recurrence, count: null } };
  const next = asked.answerTo({ ...uncounted, ask: 'next' });
  if (next === null) return null;
  const rest = countFrom(series, next, asked);
  if (rest !== null && rest <= 0) return null;
  return { ...task, status: 'todo', dueMs: next, recurrence: { ...recurrence, count: rest } };
}
