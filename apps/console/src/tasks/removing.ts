import type { Task } from '@postroom/contracts';
import type { QueryClient } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { offerUndo, tellFailure } from '../ui/notices.js';

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
