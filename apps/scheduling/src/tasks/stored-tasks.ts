import {
  foldForSearch,
  Problem,
  type Creator,
  type RecurrenceRule,
  type Reminder,
} from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { storedTaskRule, type StoredTask, type TaskRecord } from './task-record.js';

interface TaskRow {
  readonly id: string;
  readonly title: string;
  readonly notes: string;
  readonly status: StoredTask['status'];
  readonly priority: StoredTask['priority'];
  readonly assignee: string | null;
  readonly team_id: string | null;
  readonly due_ms: string | null;
  readonly time_zone: string;
  readonly thread_id: string | null;
  readonly recurrence: RecurrenceRule | null;
  readonly reminders: Reminder[];
  readonly source: StoredTask['source'];
  readonly created_by: Creator;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly completed_at: Date | null;
  readonly completed_by: Creator | null;
  readonly previous_id: string | null;
  readonly next_id: string | null;
  readonly version: number;
  readonly sequence: string;
}

/** The columns of a task, of a row as SQL. */
const columns = (of: string): string =>
  [
    ...['id', 'title', 'notes', 'status', 'priority', 'assignee', 'team_id', 'due_ms', 'time_zone'],
    ...['thread_id', 'recurrence', 'reminders', 'source', 'created_by', 'created_at', 'updated_at'],
    ...['completed_at', 'completed_by', 'previous_id', 'next_id', 'version', 'sequence'],
  ]
    .map((name) => `${of}.${name}`)
    .join(', ');

const storedOf = (row: TaskRow): StoredTask => ({
  id: row.id,
  title: row.title,
  notes: row.notes,
  status: row.status,
  priority: row.priority,
  assignee: row.assignee,
  teamId: row.team_id,
  dueMs: row.due_ms === null ? null : Number(row.due_ms),
  timeZone: row.time_zone,
  threadId: row.thread_id,
  recurrence: storedTaskRule(row.recurrence),
  reminders: row.reminders,
  source: row.source,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  completedAt: row.completed_at,
  completedBy: row.completed_by,
  previousTaskId: row.previous_id,
  nextTaskId: row.next_id,
  version: row.version,
  sequence: Number(row.sequence),
});

type Rows = Pick<Reading, 'rows'>;

const read = statement<TaskRow>('tasks.read', `SELECT ${columns('t')} FROM read_task($1, $2) t`);

const show = statement<TaskRow>(
  'tasks.show',
  `SELECT ${columns('t')} FROM tasks t WHERE t.tenant_id = $1 AND t.id = $2`,
);

const lock = statement<TaskRow>(
  'tasks.lock',
  `SELECT ${columns('t')} FROM tasks t WHERE t.tenant_id = $1 AND t.id = $2 FOR UPDATE`,
);

// Creations of one title in one conversation take turns, and see each other.
const lockTitle = statement<object>(
  'tasks.lock_title',
  `SELECT take_lock('task ' || $1 || ' ' || $2 || ' ' || $3)`,
);

const findSame = statement<TaskRow>(
  'tasks.find_same',
  `SELECT ${columns('t')} FROM tasks t
   WHERE t.tenant_id = $1 AND t.thread_id = $2 AND t.title = $3 ORDER BY t.id LIMIT 1`,
);

const insert = statement<object>(
  'tasks.insert',
  `WITH added AS (
     INSERT INTO tasks (tenant_id, id, title, notes, status, priority, assignee, team_id, due_ms,
       time_zone, thread_id, recurrence, reminders, search_text, completed_at, completed_by, next_id,
       updated_at, version, sequence, source, created_by, created_at, previous_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
       $21, $22, $23, $24)
   )
   INSERT INTO volume_deltas (tenant_id, at, kind)
   SELECT $1, $18, kind FROM unnest($25::text[]) AS counted (kind)`,
);

const change = statement<object>(
  'tasks.change',
  `WITH changed AS (
     UPDATE tasks SET title = $3, notes = $4, status = $5, priority = $6, assignee = $7, team_id = $8,
       due_ms = $9, time_zone = $10, thread_id = $11, recurrence = $12, reminders = $13,
       search_text = $14, completed_at = $15, completed_by = $16, next_id = $17, updated_at = $18,
       version = $19, sequence = $20
     WHERE tenant_id = $1 AND id = $2
   )
   INSERT INTO volume_deltas (tenant_id, at, kind)
   SELECT $1, $18, kind FROM unnest($21::text[]) AS counted (kind)`,
);

const remove = statement<object>(
  'tasks.remove',
  'DELETE FROM tasks WHERE tenant_id = $1 AND id = $2',
);

const list = statement<TaskRow & { total: string }>(
  'tasks.list',
  `SELECT ${columns('(l.task)')}, l.total
   FROM list_tasks($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) l`,
);

/** @throws Problem TASK_NOT_FOUND */
export async function readTask({ rows }: Rows, id: string): Promise<StoredTask> {
  const [found] = await rows(read, [id]);
  if (!found) throw new Problem('TASK_NOT_FOUND');
  return storedOf(found);
}

/** In a transaction; null when there is none. */
export async function findTask({ rows }: Rows, id: string): Promise<StoredTask | null> {
  const [found] = await rows(show, [id]);
  return found ? storedOf(found) : null;
}

/** Reads and locks a task for a change. @throws Problem TASK_NOT_FOUND */
export async function lockTask({ rows }: Rows, id: string): Promise<StoredTask> {
  const [found] = await rows(lock, [id]);
  if (!found) throw new Problem('TASK_NOT_FOUND');
  return storedOf(found);
}

/** The task that a conversation has already under this title (public-api.md §2, Task). */
export async function findSameTask(
  { rows }: Rows,
  { threadId, title }: TaskRecord,
): Promise<StoredTask | null> {
  if (threadId === null) return null;
  await rows(lockTitle, [threadId, title]);
  const [found] = await rows(findSame, [threadId, title]);
  return found ? storedOf(found) : null;
}

/** The volumes that a change adds to. */
export type Counted = readonly ('tasks.created' | 'tasks.completed')[];

export async function insertTask(
  { rows }: Pick<Changing, 'rows'>,
  task: StoredTask,
  counted: Counted,
): Promise<void> {
  const origin = [task.source, JSON.stringify(task.createdBy), task.createdAt, task.previousTaskId];
  await rows(insert, [task.id, ...valuesOf(task), ...origin, counted]);
}

export async function changeTask(
  { rows }: Pick<Changing, 'rows'>,
  task: StoredTask,
  counted: Counted,
): Promise<void> {
  await rows(change, [task.id, ...valuesOf(task), counted]);
}

export async function removeTask({ rows }: Pick<Changing, 'rows'>, id: string): Promise<void> {
  await rows(remove, [id]);
}

/** A page of tasks and the number of all that match; parameters as `list_tasks` takes them. */
export async function listTasks(
  { rows }: Rows,
  parameters: readonly unknown[],
): Promise<{ readonly tasks: readonly StoredTask[]; readonly total: number }> {
  const found = await rows(list, parameters);
  const tasks = found.filter((row) => (row.id as string | null) !== null).map(storedOf);
  return { tasks, total: Number(found[0]?.total ?? 0) };
}

const json = (value: object | null): string | null =>
  value === null ? null : JSON.stringify(value);

const valuesOf = (task: StoredTask): unknown[] => [
  task.title,
  task.notes,
  task.status,
  task.priority,
  task.assignee,
  task.teamId,
  task.dueMs,
  task.timeZone,
  task.threadId,
  json(task.recurrence),
  JSON.stringify(task.reminders),
  foldForSearch(`${task.title}\n${task.notes}`),
  task.completedAt,
  json(task.completedBy),
  task.nextTaskId,
  task.updatedAt,
  task.version,
  task.sequence,
];
