import { AnswerOf, Done } from '../answers.js';
import {
  Count,
  Email,
  Flag,
  HeaderText,
  Id,
  ListOf,
  Millis,
  OneOf,
  PageToken,
  Part,
  Text,
} from '../fields/index.js';
import { IdOf, VersionOf, withOptional } from '../inputs.js';
import { family, operation } from '../operation.js';
import {
  CreateTask,
  newTaskFaults,
  Task,
  taskFaults,
  type TaskStatus,
  taskStatuses,
  UpdateTask,
} from './task.js';

/** Tasks on a page, at most. */
export const tasksMax = 1000;

/** Input of the list. */
export class ListTasks {
  @OneOf(taskStatuses, 'Tasks that have got this far alone.', { optional: true })
  status?: TaskStatus;

  @Email('Tasks of this person alone.', { optional: true })
  assignee?: string;

  @HeaderText(
    'Tasks whose title or notes contain each of these words; letter case and accents do not count.',
    { max: 500, optional: true },
  )
  q?: string;

  @Id('tea', 'Tasks of this team alone.', { optional: true })
  teamId?: string;

  @Id('cnv', 'Tasks about this conversation alone.', { optional: true })
  threadId?: string;

  @Millis('Tasks that are due before this moment alone.', { optional: true })
  dueBefore?: number;

  @Millis('Tasks that are due at this moment or later alone.', { optional: true })
  dueAfter?: number;

  @Count('Tasks on a page.', { min: 1, max: tasksMax, default: 200 })
  limit!: number;

  @PageToken()
  pageToken?: string;
}

const meAbout = 'The address of the member who asks.';

/** A page of tasks. */
export class TaskPage {
  @ListOf(() => Task, 'Tasks, the newest first.', { max: tasksMax })
  tasks!: Task[];

  @Count('How many there are on all pages.', { max: Number.MAX_SAFE_INTEGER })
  total!: number;

  @Flag('Whether there are more than these.')
  truncated!: boolean;

  @Email(meAbout)
  me!: string;

  @Text('Give it as `pageToken` for the next page; null on the last.', {
    max: 2000,
    nullable: true,
  })
  nextPageToken!: string | null;
}

/** One task, with who asks. */
export class TaskRead {
  @Part(() => Task, 'The task.')
  task!: Task;

  @Email(meAbout)
  me!: string;
}

/** One task. */
export class TaskAnswer extends AnswerOf('task', () => Task, 'The task.') {}

class TaskExisted {
  @Flag('True where the conversation had a task of this title already: it is answered unchanged.')
  existed!: boolean;
}

/** Answer of creation. */
export class TaskCreated extends withOptional(TaskAnswer, TaskExisted, ['existed']) {}

/** Input of reading one. */
export class GetTask extends IdOf('tsk', 'The task.') {}

/** Input of removal. */
export class RemoveTask extends VersionOf('tsk', 'The task.') {}

const content = `What is in the body beside the fields below is ignored. An unknown status is taken for
\`todo\`, an unknown priority for \`normal\`, and an assignee that is no address for none.`;

/** Tasks of a workspace (public-api.md §4). */
export const tasks = family(
  'scheduling',
  'tasks',
  {
    list: operation({
      http: 'GET /v1/tasks',
      scope: 'read:tasks',
      member: true,
      summary: 'List the tasks of the workspace, the newest first',
      input: ListTasks,
      output: TaskPage,
      problems: ['INVALID_PAGE_TOKEN'],
    }),
    get: operation({
      http: 'GET /v1/tasks/:id',
      scope: 'read:tasks',
      member: true,
      summary: 'Read a task',
      input: GetTask,
      output: TaskRead,
      problems: ['TASK_NOT_FOUND'],
    }),
    create: operation({
      http: 'POST /v1/tasks',
      scope: 'write:tasks',
      member: true,
      success: 201,
      existing: true,
      summary: 'Create a task',
      description: `${content} Where the conversation of \`threadId\` has a task of the same title already,
the answer is 200 with \`existed\`, and that task is as it was.`,
      input: CreateTask,
      output: TaskCreated,
      rule: newTaskFaults,
      unknownFields: 'ignore',
      emits: ['task.created'],
      problems: ['TITLE_REQUIRED', 'RECURRENCE_NEEDS_DUE', 'SOURCE_FORBIDDEN', 'QUOTA_EXCEEDED'],
    }),
    update: operation({
      http: 'PATCH /v1/tasks/:id',
      scope: 'write:tasks',
      member: true,
      summary: 'Change a task: what is absent stays, null clears',
      description: `${content} \`source\` cannot be changed. A task that repeats makes its next one when it
is done for the first time. What changes nothing leaves \`version\` and \`updatedAt\` as they were.`,
      input: UpdateTask,
      output: TaskAnswer,
      rule: (input: UpdateTask) => taskFaults(input),
      unknownFields: 'ignore',
      emits: ['task.created', 'task.updated', 'task.completed'],
      problems: ['TITLE_REQUIRED', 'RECURRENCE_NEEDS_DUE', 'TASK_NOT_FOUND', 'QUOTA_EXCEEDED'],
    }),
    remove: operation({
      http: 'DELETE /v1/tasks/:id',
      scope: 'write:tasks',
      member: true,
      summary: 'Delete a task',
      input: RemoveTask,
      output: Done,
      emits: ['task.deleted'],
      problems: ['TASK_NOT_FOUND'],
    }),
  },
  { codes: 'tasks' },
);
