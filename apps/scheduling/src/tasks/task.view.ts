import { recurrenceView, type Task } from '@postroom/contracts';
import type { StoredTask } from './task-record.js';

/** A task as the API shows it. */
export const taskView = (task: StoredTask): Task => ({
  id: task.id,
  title: task.title,
  notes: task.notes,
  status: task.status,
  priority: task.priority,
  assignee: task.assignee,
  teamId: task.teamId,
  dueMs: task.dueMs,
  timeZone: task.timeZone,
  threadId: task.threadId,
  recurrence: task.recurrence && {
    ...recurrenceView(task.recurrence),
    from: task.recurrence.from,
  },
  reminders: [...task.reminders],
  source: task.source,
  createdBy: task.createdBy,
  createdAt: task.createdAt.toISOString(),
  updatedAt: task.updatedAt.toISOString(),
  completedAt: task.completedAt?.toISOString() ?? null,
  completedBy: task.completedBy,
  previousTaskId: task.previousTaskId,
  nextTaskId: task.nextTaskId,
  version: task.version,
});
