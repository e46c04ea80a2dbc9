import { Creator } from '../conversations/index.js';
import {
  Count,
  Email,
  Id,
  Instant,
  ListOf,
  Millis,
  OneOf,
  Part,
  Text,
  Version,
} from '../fields/index.js';
import { Recurrence } from '../recurrence/index.js';

export const taskStatuses = ['todo', 'in_progress', 'done', 'cancelled'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const taskPriorities = ['low', 'normal', 'high', 'urgent'] as const;
export type TaskPriority = (typeof taskPriorities)[number];

/** What made a task; a client says `manual` or `mail` only (public-api.md §2, Task). */
export const taskSources = ['manual', 'mail', 'ai', 'rule', 'sync'] as const;
export type TaskSource = (typeof taskSources)[number];

/** Limits of a task; lengths in code points. */
export const taskLimits = { title: 200, notes: 5000, reminders: 10 } as const;

/** Minutes of a year: the longest time before that a reminder may be. */
export const reminderMinutesMax = 527_040;

/** When somebody is reminded. */
export class Reminder {
  @Count('Minutes before.', { max: reminderMinutesMax })
  minutes!: number;
}

/** A task. */
export class Task {
  @Id('tsk', 'The task.')
  id!: string;

  @Text('What is to be done.', { max: taskLimits.title })
  title!: string;

  @Text('Notes; empty for none.', { max: taskLimits.notes })
  notes!: string;

  @OneOf(taskStatuses, 'How far it has got.')
  status!: TaskStatus;

  @OneOf(taskPriorities, 'How urgent it is.')
  priority!: TaskPriority;

  @Email('Who does it; null for nobody yet.', { nullable: true })
  assignee!: string | null;

  @Id('tea', 'The team that does it.', { nullable: true })
  teamId!: string | null;

  @Millis('When it is due; null for no such time.', { nullable: true })
  dueMs!: number | null;

  @Text('Time zone of the due date (IANA).', { max: 60 })
  timeZone!: string;

  @Id('cnv', 'The conversation that it is about.', { nullable: true })
  threadId!: string | null;

  @Part(() => Recurrence, 'How it repeats; null when it does not.', { nullable: true })
  recurrence!: Recurrence | null;

  @ListOf(() => Reminder, 'Reminders before it is due.', { max: taskLimits.reminders })
  reminders!: Reminder[];

  @OneOf(taskSources, 'What made it.')
  source!: TaskSource;

  @Part(() => Creator, 'Who created it.')
  createdBy!: Creator;

  @Instant('Creation.')
  createdAt!: string;

  @Instant('Last change.')
  updatedAt!: string;

  @Instant('When it was done; null while it is not.', { nullable: true })
  completedAt!: string | null;

  @Part(() => Creator, 'Who has done it; null while it is not.', { nullable: true })
  completedBy!: Creator | null;

  @Id('tsk', 'The task that it repeats.', { nullable: true })
  previousTaskId!: string | null;

  @Id('tsk', 'The task that repeats it.', { nullable: true })
  nextTaskId!: string | null;

  @Version()
  version!: number;
}
