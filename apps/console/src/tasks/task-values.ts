import type { GivenTaskRecurrence, Task } from '@postroom/contracts';
import { givenRule, ruleValueOf, type RuleValue } from '../calendar/repetition/rule-value.js';
import { msOf, wallOf } from '../calendar/zoned.js';
import { browserZone } from '../ui/time.js';

/** A task as its form holds it; the due time by the clocks of the browser's zone. */
export interface TaskValues {
  readonly title: string;
  readonly notes: string;
  readonly status: Task['status'];
  readonly priority: Task['priority'];
  readonly assignee: string | null;
  readonly teamId: string | null;
  readonly date: string;
  readonly time: string;
  readonly recurrence: RuleValue | null;
  readonly fromCompletion: boolean;
}

export const taskLabels: Readonly<Record<keyof TaskValues, string>> = {
  ...{ title: 'Title', notes: 'Notes', status: 'Status', priority: 'Priority', teamId: 'Team' },
  ...{ assignee: 'For', date: 'Due on', time: 'At', recurrence: 'Repetition' },
  fromCompletion: 'Counts from its completion',
};

export function valuesOf(task: Task): TaskValues {
  const { title, notes, status, priority, assignee, teamId, dueMs, recurrence } = task;
  const due = dueMs === null ? { date: '', time: '' } : wallOf(dueMs, browserZone);
  return {
    ...{ title, notes, status, priority, assignee, teamId, ...due },
    recurrence: ruleValueOf(recurrence && withoutFrom(recurrence)),
    fromCompletion: recurrence?.from === 'completion',
  };
}

const withoutFrom = ({ from: _, ...rule }: NonNullable<Task['recurrence']>) => rule;

/** The fields that were changed, as they are sent. */
export function changesOf(values: TaskValues, changed: readonly (keyof TaskValues)[]): object {
  const { date, time, recurrence, fromCompletion, ...plain } = values;
  const dueMs = date === '' ? null : msOf({ date, time: time || '18:00' }, browserZone);
  const isRuleChanged = changed.some((field) => ['recurrence', 'fromCompletion'].includes(field));
  const isDueChanged = changed.some((field) => ['date', 'time'].includes(field));
  return {
    ...Object.fromEntries(
      Object.entries(plain).filter(([field]) => changed.includes(field as keyof TaskValues)),
    ),
    ...(isDueChanged && { dueMs, timeZone: browserZone }),
    ...(isRuleChanged && { recurrence: ruleOf(recurrence, fromCompletion) }),
  };
}

const ruleOf = (value: RuleValue | null, fromCompletion: boolean): GivenTaskRecurrence | null => {
  const rule = givenRule(value, browserZone);
  return rule && { ...rule, from: fromCompletion ? 'completion' : 'due' };
};
