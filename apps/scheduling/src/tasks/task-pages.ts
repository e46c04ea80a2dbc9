import { Injectable } from '@nestjs/common';
import type { ListTasks, TaskPage } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { PageTokens } from '@postroom/persistence';
import { meOf } from '../me.js';
import { patternsOf } from '../search-text.js';
import { listTasks } from './stored-tasks.js';
import { taskView } from './task.view.js';

/** Tasks of a workspace, the newest first: by id, which is in the order of creation. */
@Injectable()
export class TaskPages {
  constructor(private readonly tokens: PageTokens) {}

  async read(context: Reading, { limit, pageToken, ...filters }: ListTasks): Promise<TaskPage> {
    const { status, assignee, q, teamId, threadId, dueBefore, dueAfter } = filters;
    const query = JSON.stringify(['tasks.list', context.tenantId, filters]);
    const afterId = pageToken === undefined ? null : this.tokens.read(query, pageToken).after.id;
    const named = [status, assignee, patternsOf(q ?? ''), teamId, threadId, dueBefore, dueAfter];
    const parameters = named.map((one) => one ?? null);
    const { tasks, total } = await listTasks(context, [...parameters, afterId, limit + 1]);
    const page = tasks.slice(0, limit);
    const last = tasks.length > limit ? page.at(-1) : undefined;
    const next = last && { asOf: '', beganAtMs: 0, after: { atMs: 0, id: last.id } };
    return {
      tasks: page.map(taskView),
      total,
      truncated: next !== undefined,
      me: meOf(context.caller),
      nextPageToken: next ? this.tokens.issue(query, next) : null,
    };
  }
}
