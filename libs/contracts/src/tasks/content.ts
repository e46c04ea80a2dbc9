import {
  EmailOrNone,
  HeaderText,
  Id,
  IfMatch,
  ListOf,
  Millis,
  OneOfOr,
  Part,
  Text,
  type Violation,
} from '../fields/index.js';
import type { ProblemCode } from '../problems.js';
import { GivenRecurrence, readRecurrence, zoneFaults } from '../recurrence/index.js';
import {
  Reminder,
  taskLimits,
  taskPriorities,
  taskSources,
  taskStatuses,
  type TaskPriority,
  type TaskStatus,
} from './task.js';

const maybe = { optional: true, nullable: true } as const;

const isBlank = (title: unknown): boolean =>
  title === undefined || title === null || (typeof title === 'string' && title.trim() === '');

/** A title that is missing or blank has a code of its own. */
export const titleRequired = (title: unknown): ProblemCode | undefined =>
  isBlank(title) ? 'TITLE_REQUIRED' : undefined;

/** What a task may say; null clears. */
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

  @Id('tea', 'The team that does it.', { ...maybe, stored: true })
  teamId?: string | null;

  @Millis('When it is due.', maybe)
  dueMs?: number | null;

  @Text('Time zone of the due date (IANA).', { max: 60, ...maybe })
  timeZone?: string | null;

  @Id('cnv', 'The conversation that it is about.', { ...maybe, stored: true })
  threadId?: string | null;

  @Part(() => GivenRecurrence, 'How it repeats; it needs `dueMs`.', maybe)
  recurrence?: GivenRecurrence | null;

  @ListOf(() => Reminder, 'Reminders before it is due.', { max: taskLimits.reminders, ...maybe })
  reminders?: Reminder[] | null;
}

/** What a new task may say. */
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

/** What is given of a task: `task`, or, without it, the body itself. */
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
      : [{ field: 'source', message: { fr: 'source inconnue', en: 'there is no such source' } }];
  return [...title, ...needsDue, ...unknown, ...taskFaults(input)];
}

/** What a rule lacks without a due date. */
export const recurrenceNeedsDue: Violation = {
  field: 'dueMs',
  message: { fr: 'échéance attendue', en: 'expected a due date' },
  code: 'RECURRENCE_NEEDS_DUE' satisfies ProblemCode,
};

/** Faults of what is given of a task, new or changed. */
export function taskFaults(input: UpdateTask | CreateTask): readonly Violation[] {
  const { recurrence, timeZone } = taskGiven<TaskContent>(input);
  const read = recurrence ? readRecurrence(recurrence, 'recurrence', taskTimeZone) : null;
  return [...zoneFaults(timeZone), ...(read?.faults ?? [])];
}
