import { emitted } from './emitted.js';
import type { EventExamples } from './event-examples.js';

const task = {
  id: 'tsk_01M86TZ78C6Y5ME3FJVBN9H93N',
  title: 'Tell Mariana when the export is there',
  notes: '',
  status: 'todo',
  priority: 'high',
  assignee: 'admin@acme.test',
  teamId: null,
  dueMs: 1796115600000,
  timeZone: 'UTC',
  threadId: null,
  recurrence: null,
  reminders: [],
  source: 'manual',
  createdBy: { type: 'key', id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5' },
  createdAt: '2026-11-24T13:12:22.539Z',
  updatedAt: '2026-11-24T13:12:22.539Z',
  completedAt: null,
  completedBy: null,
  previousTaskId: null,
  nextTaskId: null,
  version: 1,
};

/** Events of tasks, as a running product has emitted them. */
export const tasksExamples: EventExamples = {
  'task.created': emitted('task.created', {
    id: 'evn_01M86TZ78NNNSKZ421F2V3NATT',
    occurredAt: '2026-11-24T13:12:22.539Z',
    resource: 'tsk_01M86TZ78C6Y5ME3FJVBN9H93N',
    sequence: 1,
    data: task,
  }),
  'task.updated': emitted('task.updated', {
    id: 'evn_01M86TZ7HN4954ZVCZQ8F8H487',
    occurredAt: '2026-11-24T13:12:22.821Z',
    resource: 'tsk_01M86TZ78C6Y5ME3FJVBN9H93N',
    sequence: 2,
    data: { ...task, priority: 'normal', updatedAt: '2026-11-24T13:12:22.821Z', version: 2 },
    previous: { priority: 'high' },
  }),
  'task.completed': emitted('task.completed', {
    id: 'evn_01M86TZ7JB1QN905QBQJQGMPSN',
    occurredAt: '2026-11-24T13:12:22.852Z',
    resource: 'tsk_01M86TZ78C6Y5ME3FJVBN9H93N',
    sequence: 3,
    data: {
      ...task,
      status: 'done',
      priority: 'normal',
      updatedAt: '2026-11-24T13:12:22.852Z',
      completedAt: '2026-11-24T13:12:22.852Z',
      completedBy: { type: 'key', id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5' },
      version: 3,
    },
    previous: { status: 'todo', completedAt: null, completedBy: null },
  }),
  'task.deleted': emitted('task.deleted', {
    id: 'evn_01M86TZ7MBNVKDG4QQ8GCV7ZRR',
    occurredAt: '2026-11-24T13:12:22.894Z',
    resource: 'tsk_01M86TZ78C6Y5ME3FJVBN9H93N',
    sequence: 4,
    data: {
      ...task,
      status: 'done',
      priority: 'normal',
      updatedAt: '2026-11-24T13:12:22.852Z',
      completedAt: '2026-11-24T13:12:22.852Z',
      completedBy: { id: 'key_01M86TZ6K6GGKCVZD9DG5CPEC5', type: 'key' },
      version: 3,
    },
  }),
};
