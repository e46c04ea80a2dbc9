import { actorOf } from '@postroom/access';
import { Problem, taskGiven, tasks, type NewTask, type TaskContent } from '@postroom/contracts';
import { handlers, requireVersion, type ReadTarget } from '@postroom/operations';
import { SchedulingConfig } from '../config.js';
import { Expansion } from '../events/index.js';
import { meOf } from '../me.js';
import { findSameTask, findTask, lockTask, readTask, removeTask } from './stored-tasks.js';
import { about, addTask, rewriteTask } from './task-changes.js';
import { TaskPages } from './task-pages.js';
import { emptyTask, withGiven } from './task-record.js';
import { taskView } from './task.view.js';

const taskTarget: ReadTarget = async (context, id) => {
  const task = await findTask(context, id);
  if (!task) return null;
  const { version, title } = task;
  return { type: 'task', id, version, title, view: taskView(task), within: null };
};

/** Tasks are the workspace's: whoever has the scope reads and writes all of them. */
export const TasksHandlers = handlers(
  tasks,
  [TaskPages, SchedulingConfig, Expansion],
  (pages, { quotaTasks }, expansion) => ({
    list: (context, input) => pages.read(context, input),

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
