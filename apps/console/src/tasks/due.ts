import type { Task } from '@postroom/contracts';

export const groupNames = ['Overdue', 'Today', 'Later', 'No date', 'Done'] as const;
export type GroupName = (typeof groupNames)[number];

const isOver = ({ status }: Task): boolean => status === 'done' || status === 'cancelled';

function groupOf(task: Task, now: Date): GroupName {
  if (isOver(task)) return 'Done';
  if (task.dueMs === null) return 'No date';
  if (task.dueMs < now.getTime()) return 'Overdue';
  return new Date(task.dueMs).toDateString() === now.toDateString() ? 'Today' : 'Later';
}

export interface TaskGroup {
  readonly name: GroupName;
  readonly tasks: readonly Task[];
}

const ranks = { urgent: 0, high: 1, normal: 2, low: 3 } as const;

const inOrder = (one: Task, other: Task): number =>
  (one.dueMs ?? 0) - (other.dueMs ?? 0) || ranks[one.priority] - ranks[other.priority];

/** Tasks by what is to be done first. What is done has the latest first. */
export function groupsOf(tasks: readonly Task[], now = new Date()): readonly TaskGroup[] {
  return groupNames
    .map((name) => ({ name, tasks: tasks.filter((task) => groupOf(task, now) === name) }))
    .filter((group) => group.tasks.length > 0)
    .map(({ name, tasks: found }) => ({
      name,
      tasks: found.sort(
        name === 'Done' ? (one, other) => other.updatedAt.localeCompare(one.updatedAt) : inOrder,
      ),
    }));
}

const day = new Intl.DateTimeFormat('en', { weekday: 'short', day: 'numeric', month: 'short' });
const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

/** When a task is due, as a list says it: "today 18:00", "tomorrow", "Tue, 3 Mar". */
export function dueInWords(dueMs: number, now = new Date()): string {
  const due = new Date(dueMs);
  const days = Math.round((midnight(due) - midnight(now)) / 86_400_000);
  const name = Math.abs(days) <= 1 ? relative.format(days, 'day') : day.format(due);
  return `${name} ${clock.format(due)}`;
}

const midnight = (at: Date): number => new Date(at).setHours(0, 0, 0, 0);
