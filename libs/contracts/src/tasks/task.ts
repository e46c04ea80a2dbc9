import {
  Count,
  Email,
  EmailOrNone,
  HeaderText,
  Id,
  IfMatch,
  Instant,
  ListOf,
  Millis,
  OneOf,
  OneOfOr,
  Part,
  Text,
  Version,
  type Violation,
} from '../fields/index.js';
import type { ProblemCode } from '../problems.js';
import {
  GivenRecurrence,
  readRecurrence,
  Recurrence,
  zoneFaults,
} from '../recurrence/recurrence.js';
import { Creator } from '../conversations/message.js';

export const taskStatuses = ['todo', 'in_progress', 'done', 'cancelled'] as const;
export type TaskStatus = (typeof taskStatuses)[number];

export const taskPriorities = ['low', 'normal', 'high', 'urgent'] as const;
export type TaskPriority = (typeof taskPriorities)[number];

/** Sources of a task; a client says `manual` or `mail` only (public-api.md §2, Task). */
export const taskSources = ['manual', 'mail', 'ai', 'rule', 'sync'] as const;
export type TaskSource = (typeof taskSources)[number];

/** Limits of a task; lengths in code points. */
export const taskLimits = { title: 200, notes: 5000, reminders: 10 } as const;

/** Minutes of a year: the longest time before that a reminder may be. */
export const reminderMinutesMax = 527_040;

/** The time of a reminder. */
export class Reminder {
  @Count('Minutes before.', { max: reminderMinutesMax })
  minutes!: number;
}

/** The moments that the next task may follow: the due time of the one before, or its completion. */
export const taskTimings = ['due', 'completion'] as const;
export type TaskTiming = (typeof taskTimings)[number];

/** The repeat rule of a task. */
export class TaskRecurrence extends Recurrence {
  @OneOf(taskTimings, 'What the next task follows: the due time of this one, or its completion.', {
    optional: true,
  })
  from?: TaskTiming;
}

/** The repeat rule of a task, as given. */
export class GivenTaskRecurrence extends GivenRecurrence {
  @OneOf(taskTimings, 'What the next task follows; `due` when absent.', {
    optional: true,
    nullable: 'absent',
  })
  from?: TaskTiming;
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

  @Part(() => TaskRecurrence, 'How it repeats; null when it does not.', { nullable: true })
  recurrence!: TaskRecurrence | null;

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

const maybe = { optional: true, nullable: true } as const;

const isBlank = (title: unknown): boolean =>
  title === undefined || title === null || (typeof title === 'string' && title.trim() === '');

/** A title that is missing or blank has a code of its own. */
export const titleRequired = (title: unknown): ProblemCode | undefined =>
  isBlank(title) ? 'TITLE_REQUIRED' : undefined;

/** Fields of a task; null clears. */
export class TaskContent {
  @HeaderText('What is to be done.', {
    max: taskLimits.title,
    filled: true,
    optional: true,
    refusedAs: titleRequired,
  })
  title?: string;

  @Text('Notes.', { max: taskLimits.notes, ...maybe })
  notes?: string | null;

  @OneOfOr(taskStatuses, 'todo', 'How far it has got.', { optional: true })
  status?: TaskStatus;

  @OneOfOr(taskPriorities, 'normal', 'How urgent it is.', { optional: true })
  priority?: TaskPriority;

  @EmailOrNone('Who does it.', maybe)
  assignee?: string | null;

  @Id('tea', 'The team that does it.', { ...maybe, refersTo: 'team' })
  teamId?: string | null;

  @Millis('When it is due.', maybe)
  dueMs?: number | null;

  @Text('Time zone of the due date (IANA).', { max: 60, ...maybe })
  timeZone?: string | null;

  @Id('cnv', 'The conversation that it is about.', { ...maybe, refersTo: 'conversation' })
  threadId?: string | null;

  @Part(() => GivenTaskRecurrence, 'How it repeats; it needs `dueMs`.', maybe)
  recurrence?: GivenTaskRecurrence | null;

  @ListOf(() => Reminder, 'Reminders before it is due.', { max: taskLimits.reminders, ...maybe })
  reminders?: Reminder[] | null;
}

/** Fields of a new task. */
export class NewTask extends TaskContent {
  @Text('What made it: `manual`, or `mail`; the others are for the server alone.', {
    max: 20,
    optional: true,
    nullable: 'absent',
  })
  source?: string;
}

/** Input of creation. */
export class CreateTask extends NewTask {
  @Part(() => NewTask, 'The task; the fields beside it are taken where it is absent.', {
    optional: true,
  })
  task?: NewTask;
}

/** Input of change: absent stays, null clears. */
export class UpdateTask extends TaskContent {
  @Id('tsk', 'The task.')
  id!: string;

  @Part(() => TaskContent, 'The task; the fields beside it are taken where it is absent.', {
    optional: true,
  })
  task?: TaskContent;

  @IfMatch()
  ifMatch?: number;
}

/** The task that is given: `task`, or, without it, the body itself. */
export const taskGiven = <T extends TaskContent>(input: T & { readonly task?: T }): T =>
  input.task ?? input;

/** The zone of a task for which none is named. */
export const taskTimeZone = 'UTC';

/** Faults that no field of a new task sees alone. */
export function newTaskFaults(input: CreateTask): readonly Violation[] {
  const given = taskGiven<NewTask>(input);
  const title: Violation[] = isBlank(given.title)
    ? [
        {
          field: input.task ? 'task.title' : 'title',
          fault: 'REQUIRED',
          message: { fr: 'titre attendu', en: 'expected a title' },
          code: 'TITLE_REQUIRED' satisfies ProblemCode,
        },
      ]
    : [];
  const needsDue: Violation[] =
    given.recurrence && (given.dueMs ?? null) === null ? [recurrenceNeedsDue] : [];
  const { source } = given;
  const unknown: Violation[] =
    source === undefined || taskSources.some((one) => one === source)
      ? []
      : [
          {
            field: 'source',
            fault: 'UNKNOWN_VALUE',
            message: { fr: 'source inconnue', en: 'there is no such source' },
          },
        ];
  return [...title, ...needsDue, ...unknown, ...taskFaults(input)];
}

/** The fault of a rule without a due date. */
export const recurrenceNeedsDue: Violation = {
  field: 'dueMs',
  fault: 'REQUIRED',
  message: { fr: 'échéance attendue', en: 'expected a due date' },
  code: 'RECURRENCE_NEEDS_DUE' satisfies ProblemCode,
};

/** Faults of what is given of a task, new or changed. */
export function taskFaults(input: UpdateTask | CreateTask): readonly Violation[] {
  const { recurrence, timeZone } = taskGiven<TaskContent>(input);
  const read = recurrence ? readRecurrence(recurrence, 'recurrence', taskTimeZone) : null;
  return [...zoneFaults(timeZone), ...(read?.faults ?? [])];
}
