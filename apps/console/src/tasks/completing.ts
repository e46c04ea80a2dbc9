import type { Task, TaskAnswer, TaskRead } from '@postroom/contracts';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { offerUndo, tellFailure } from '../ui/notices.js';
import { dueInWords } from './due.js';

/** Marks tasks as done or as open again, at once; what the server refuses goes back. */
export function useCompleting(): (task: Task) => void {
  const client = useQueryClient();
  return (task) => void setStatus(client, task, task.status === 'done' ? 'todo' : 'done');
}

async function setStatus(client: QueryClient, task: Task, status: Task['status']): Promise<void> {
  show(client, { ...task, status, updatedAt: new Date().toISOString() });
  try {
    const { task: changed } = await api.patch<TaskAnswer>(`/v1/tasks/${task.id}`, { status });
    show(client, changed);
    if (status === 'done')
      offerUndo(await doneInWords(changed), () => void setStatus(client, changed, task.status));
  } catch (error) {
    show(client, task);
    tellFailure(error, () => void setStatus(client, task, status));
  }
}

function show(client: QueryClient, task: Task): void {
  client.setQueriesData<readonly Task[]>({ queryKey: ['tasks'] }, (tasks) =>
    tasks?.map((one) => (one.id === task.id ? task : one)),
  );
}

async function doneInWords({ title, nextTaskId }: Task): Promise<string> {
  const done = `Done: ${title}.`;
  if (nextTaskId === null) return done;
  const { task: next } = await api.get<TaskRead>(`/v1/tasks/${nextTaskId}`);
  return next.dueMs === null ? done : `${done} The next one is due ${dueInWords(next.dueMs)}.`;
}

/** Deletes a task; undoing makes it anew, with all that a client may say of it. */
export async function removeTask(client: QueryClient, task: Task): Promise<void> {
  const fresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['tasks'] });
  try {
    await api.delete(`/v1/tasks/${task.id}`, { ifMatch: task.version });
    await fresh();
    offerUndo(`Deleted: ${task.title}.`, () => void restore(task).then(fresh, tellFailure));
  } catch (error) {
    tellFailure(error);
  }
}

async function restore(task: Task): Promise<void> {
  const { title, notes, status, priority, assignee, teamId, dueMs, timeZone, threadId } = task;
  const { recurrence, reminders } = task;
  const body = { title, notes, status, priority, assignee, teamId, dueMs, timeZone, threadId };
  await api.post('/v1/tasks', { task: { ...body, recurrence, reminders } });
}
