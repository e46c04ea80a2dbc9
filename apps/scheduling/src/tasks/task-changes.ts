import { isDeepStrictEqual } from 'node:util';
import { newId, type Creator, type EventType, type TaskSource } from '@postroom/contracts';
import { previousOf, requireRoomFor, type Changing, type EmittedEvent } from '@postroom/operations';
import type { SeriesAnswers } from '../recurrence/index.js';
import { changeTask, insertTask } from './stored-tasks.js';
import { nextOccurrence, type StoredTask, type TaskRecord } from './task-record.js';
import { taskView } from './task.view.js';

type Change = Pick<Changing, 'rows' | 'at'>;
type Emit<E extends EventType> = { readonly emit: (event: EmittedEvent<E>) => void };

/** The origin of a task. */
interface Origin {
  readonly source: TaskSource;
  readonly createdBy: Creator;
  readonly previousTaskId?: string;
}

/**
 * Adds a task.
 * @param limit how many the workspace may have
 * @throws Problem QUOTA_EXCEEDED
 */
export async function addTask(
  context: Change & Emit<'task.created'>,
  record: TaskRecord,
  { source, createdBy, previousTaskId }: Origin,
  limit: number,
): Promise<StoredTask> {
  await requireRoomFor(context, 'tasks', limit);
  const { at } = context;
  const isDone = record.status === 'done';
  const task: StoredTask = {
    ...record,
    id: newId('tsk'),
    source,
    createdBy,
    createdAt: at,
    updatedAt: at,
    completedAt: isDone ? at : null,
    completedBy: isDone ? createdBy : null,
    previousTaskId: previousTaskId ?? null,
    nextTaskId: null,
    version: 1,
    sequence: 1,
  };
  await insertTask(
    context,
    task,
    isDone ? ['tasks.created', 'tasks.completed'] : ['tasks.created'],
  );
  context.emit({ ...about(task), type: 'task.created', data: taskView(task) });
  return task;
}

/** The author of a change, how many tasks the workspace may have, and the answers about its series. */
interface Changer {
  readonly by: Creator;
  readonly limit: number;
  readonly asked: SeriesAnswers;
}

/**
 * Stores a change of a locked task. The first time that a repeating task is done, its next one is created.
 * @returns the unchanged one where nothing differs
 * @throws Problem QUOTA_EXCEEDED
 */
export async function rewriteTask(
  context: Change & Emit<'task.created' | 'task.updated' | 'task.completed'>,
  before: StoredTask,
  record: TaskRecord,
  changer: Changer,
): Promise<StoredTask> {
  if (isDeepStrictEqual({ ...before, ...record }, before)) return before;
  const isCompleted = record.status === 'done' && before.status !== 'done';
  const added = isCompleted ? await addNext(context, before, record, changer) : null;
  const task: StoredTask = {
    ...before,
    ...record,
    ...completionOf(before, record, { at: context.at, by: changer.by }),
    nextTaskId: added?.id ?? before.nextTaskId,
    // A clock that was set back does not move it back in the order of changes.
    updatedAt: context.at > before.updatedAt ? context.at : before.updatedAt,
    version: before.version + 1,
    sequence: before.sequence + 1,
  };
  await changeTask(context, task, isCompleted ? ['tasks.completed'] : []);
  context.emit({
    ...about(task),
    type: isCompleted ? 'task.completed' : 'task.updated',
    data: taskView(task),
    previous: previousOf(taskView(before), taskView(task)),
  });
  return task;
}

/** Creates the next task of a series, unless that was done before or the rule has ended. */
async function addNext(
  context: Change & Emit<'task.created'>,
  { id: previousTaskId, source, nextTaskId }: StoredTask,
  record: TaskRecord,
  { by: createdBy, limit, asked }: Changer,
): Promise<StoredTask | null> {
  const next = nextTaskId === null ? nextOccurrence(record, context.at.getTime(), asked) : null;
  return next && addTask(context, next, { source, createdBy, previousTaskId }, limit);
}

/** Completion time and author: kept while the task stays done, cleared when it is reopened. */
function completionOf(
  { status, completedAt, completedBy }: StoredTask,
  record: TaskRecord,
  { at, by }: { readonly at: Date; readonly by: Creator },
): Pick<StoredTask, 'completedAt' | 'completedBy'> {
  if (record.status !== 'done') return { completedAt: null, completedBy: null };
  return status === 'done' ? { completedAt, completedBy } : { completedAt: at, completedBy: by };
}

/** The fields of an event beside its data. */
export const about = ({ id, sequence }: Pick<StoredTask, 'id' | 'sequence'>) => ({
  resource: { type: 'task', id } as const,
  sequence,
});
