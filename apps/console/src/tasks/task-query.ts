import type { Task, TaskPage } from '@postroom/contracts';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { api } from '../api/api.js';
import { useStreamEvents } from '../stream/stream.js';

/** The filters of the tasks, in the address. */
export interface TaskSearch {
  /** The member's own, or a team's by its id; all of the workspace where it is absent. */
  readonly who?: string;
  readonly conversation?: string;
  readonly q?: string;
  /** The task that is open. */
  readonly task?: string;
}

export function taskSearchOf(given: Readonly<Record<string, unknown>>): TaskSearch {
  const names = ['who', 'conversation', 'q', 'task'] as const;
  return Object.fromEntries(
    names
      .map((name) => [name, given[name]] as const)
      .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
      .map(([name, value]) => [name, String(value).slice(0, 500)]),
  );
}

/** The filters of the list, as the API takes them. */
interface TaskFilters {
  readonly assignee?: string | undefined;
  readonly teamId?: string | undefined;
  readonly threadId?: string | undefined;
  readonly q?: string | undefined;
}

/** Done ones are shown for their undoing and as a memory: the latest do. */
const doneMax = 50;

const page = (query: TaskFilters & { status: string; limit: number }, signal: AbortSignal) =>
  api.get<TaskPage>('/v1/tasks', { ...query }, signal);

/** All tasks that are open, with the latest that are done. */
export const tasksQuery = (filters: TaskFilters) =>
  queryOptions({
    queryKey: ['tasks', filters] as const,
    queryFn: async ({ signal }): Promise<readonly Task[]> => {
      const pages = await Promise.all([
        page({ ...filters, status: 'todo', limit: 1_000 }, signal),
        page({ ...filters, status: 'in_progress', limit: 1_000 }, signal),
        page({ ...filters, status: 'done', limit: doneMax }, signal),
      ]);
      return pages.flatMap(({ tasks }) => tasks);
    },
    staleTime: 60_000,
  });

/** Reads what is shown again on an event about a task. */
export function useTasksLive(): void {
  const client = useQueryClient();
  useStreamEvents(({ type }) => {
    if (/^(task\.|reset$)/.test(type)) void client.invalidateQueries({ queryKey: ['tasks'] });
  });
}
