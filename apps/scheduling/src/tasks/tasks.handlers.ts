import {
  Problem,
  searchWords,
  taskGiven,
  tasks,
  type ListTasks,
  type NewTask,
  type TaskContent,
  type TaskPage,
} from '@postroom/contracts';
import {
  handlers,
  requireVersion,
  type Reading,
  type ReadTarget,
  type Writing,
} from '@postroom/operations';
import { likeContaining, PageTokens } from '@postroom/persistence';
import { actorOf } from '@postroom/access';
import { meOf } from '../me.js';
import { SchedulingConfig } from '../config.js';
import { Expansion } from '../events/index.js';
import {
  findSameTask,
  findTask,
  listTasks,
  lockTask,
  readTask,
  removeTask,
} from './stored-tasks.js';
import { taskView } from './task.view.js';
import { about, addTask, rewriteTask } from './task-changes.js';
import { emptyTask, withGiven, type StoredTask } from './task-record.js';

const taskTarget: ReadTarget = async (context, id) => {
  const task = await findTask(context, id);
  if (!task) return null;
  const { version, title } = task;
  return { type: 'task', id, version, title, view: taskView(task), within: null };
};

/** Allows a task to go on naming what is gone since. */
function allowNamed({ allowUnknown }: Pick<Writing, 'allowUnknown'>, task: StoredTask): void {
  for (const name of ['teamId', 'threadId'] as const)
    for (const field of [name, `task.${name}`]) allowUnknown(field, [task[name]]);
}

/** Tasks belong to the workspace: a key with the scope reads and writes all of them. */
export const TasksHandlers = handlers(
  tasks,
  [PageTokens, SchedulingConfig, Expansion],
  (tokens, { quotaTasks }, expansion) => ({
    list: (context, input) => readPage(context, input, tokens),

    get: async (context, { id }) => ({
      task: taskView(await readTask(context, id)),
      me: meOf(context.caller),
    }),

    create: async (context, input) => {
      const given = taskGiven<NewTask>(input);
      const source = given.source ?? 'manual';
      if (source !== 'manual' && source !== 'mail') throw new Problem('SOURCE_FORBIDDEN');
      const record = withGiven(emptyTask, given);
      const same = await findSameTask(context, record);
      if (same) {
        context.subject(same.id);
        allowNamed(context, same);
        context.existed();
        return { task: taskView(same), existed: true };
      }
      const origin = { source, createdBy: actorOf(context.caller) } as const;
      const task = await addTask(context, record, origin, quotaTasks);
      context.subject(task.id);
      return { task: taskView(task) };
    },

    update: {
      prepare: async ({ tenantId }, input) => {
        const asked = expansion.asked(tenantId);
        return async (context) => {
          const before = await lockTask(context, input.id);
          requireVersion(before, input.ifMatch);
          allowNamed(context, before);
          const record = withGiven(before, taskGiven<TaskContent>(input));
          const by = actorOf(context.caller);
          const task = await rewriteTask(context, before, record, { by, limit: quotaTasks, asked });
          return { task: taskView(task) };
        };
      },
    },

    remove: async (context, { id, ifMatch }) => {
      const task = await lockTask(context, id);
      requireVersion(task, ifMatch);
      await removeTask(context, id);
      const sequence = task.sequence + 1;
      context.emit({ ...about({ id, sequence }), type: 'task.deleted', data: taskView(task) });
      return { ok: true };
    },
  }),
  { target: taskTarget },
);

/** Tasks of a workspace, the newest first: by id, which is in the order of creation. */
async function readPage(
  context: Reading,
  { limit, pageToken, ...filters }: ListTasks,
  tokens: PageTokens,
): Promise<TaskPage> {
  const { status, assignee, q, teamId, threadId, dueBefore, dueAfter } = filters;
  const query = ['tasks.list', context.tenantId, filters];
  const [afterId] = tokens.read(query, pageToken);
  const patterns = searchWords(q ?? '').map(likeContaining);
  const given = [status, assignee, patterns, teamId, threadId, dueBefore, dueAfter, afterId];
  const parameters = given.map((one) => one ?? null);
  const { tasks: found, total } = await listTasks(context, [...parameters, limit + 1]);
  const { rows, nextPageToken } = tokens.pageOf(query, found, limit, ({ id }) => [id]);
  return {
    tasks: rows.map(taskView),
    total,
    truncated: nextPageToken !== null,
    me: meOf(context.caller),
    nextPageToken,
  };
}
