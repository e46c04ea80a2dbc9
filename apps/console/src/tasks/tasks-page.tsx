import type { Task } from '@postroom/contracts';
import { SegmentedControl, Select, TextInput, Group, Badge, CloseButton } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { useShortcuts } from '../shell/shortcuts.js';
import { Icon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { EmptyState, ErrorState, Loading } from '../ui/states.js';
import { useCompleting } from './completing.js';
import { groupsOf, type TaskGroup } from './due.js';
import { QuickAdd, quickAddId } from './quick-add.js';
import { tasksQuery, useTasksLive, type TaskSearch } from './task-query.js';
import { TaskDrawer } from './task-form.js';
import { TaskList } from './task-list.js';

/** Tasks of the workspace by what is to be done first, with a line for another one. */
export function TasksPage(): ReactElement {
  const search: TaskSearch = useSearch({ strict: false });
  const { member } = useAccount();
  const navigate = useNavigate();
  useTasksLive();
  const { who, conversation, q, task: openId } = search;
  const teamId = who?.startsWith('tea_') ? who : undefined;
  const assignee = who === 'mine' ? member.email : undefined;
  const { data, error, refetch } = useQuery(
    tasksQuery({ assignee, teamId, threadId: conversation, q }),
  );
  const groups = groupsOf(data ?? []);
  const open = (task: Task | null): void => {
    const { task: _, ...filters } = search;
    void navigate({ to: '/tasks', search: task ? { ...filters, task: task.id } : filters });
  };
  const toggle = useCompleting();
  useTaskKeys(
    groups.flatMap(({ tasks }) => tasks),
    toggle,
    open,
  );
  return (
    <Page title="Tasks" width={860} intro="What is to be done, by whom and when.">
      <QuickAdd {...{ teamId, threadId: conversation }} />
      <Filters search={search} />
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Found {...{ tasks: data, groups, onToggle: toggle, onOpen: open }} />
      )}
      {openId !== undefined && <TaskDrawer key={openId} id={openId} onClose={() => open(null)} />}
    </Page>
  );
}

const Found = (props: {
  tasks: readonly Task[] | undefined;
  groups: readonly TaskGroup[];
  onToggle: (task: Task) => void;
  onOpen: (task: Task) => void;
}): ReactElement => {
  const { tasks, ...list } = props;
  if (!tasks) return <Loading />;
  if (tasks.length > 0) return <TaskList {...list} />;
  return (
    <EmptyState icon="tasks" title="Nothing to do here">
      Tasks that you or your agents make stand here until they are done. Press N to write one.
    </EmptyState>
  );
};

/** Moves along the tasks by the focus of their boxes; on a box, the space bar completes and Enter opens. */
function useTaskKeys(
  tasks: readonly Task[],
  toggle: (task: Task) => void,
  open: (task: Task) => void,
): void {
  const boxOf = (id: string | undefined): HTMLElement | null =>
    document.querySelector<HTMLElement>(`[data-task="${id ?? ''}"]`);
  const currentPlace = (): number =>
    tasks.findIndex(({ id }) => boxOf(id) === document.activeElement);
  const move = (by: number): void => {
    const next = Math.min(tasks.length - 1, Math.max(0, currentPlace() + by));
    boxOf(tasks[next]?.id)?.focus();
  };
  const onCurrent = (act: (task: Task) => void) => (): void => {
    const task = tasks[currentPlace()];
    if (task) act(task);
  };
  useShortcuts([
    { keys: 'j', label: 'Next task', run: () => move(1) },
    { keys: 'k', label: 'Previous task', run: () => move(currentPlace() < 0 ? 0 : -1) },
    { keys: 'x', label: 'Complete the task, or open it again', run: onCurrent(toggle) },
    { keys: 'e', label: 'Edit the task', run: onCurrent(open) },
    {
      keys: 'n',
      label: 'New task',
      run: () => document.getElementById(quickAddId)?.focus(),
    },
  ]);
}

function Filters({ search }: { search: TaskSearch }): ReactElement {
  const { teams } = useAccount();
  const navigate = useNavigate();
  const { who, conversation, q } = search;
  const [text, setText] = useState(q ?? '');
  const set = (changed: Partial<Record<keyof TaskSearch, string | undefined>>): void =>
    void navigate({
      ...{ to: '/tasks', replace: true },
      search: Object.fromEntries(
        Object.entries({ ...search, ...changed }).filter(([, value]) => value),
      ),
    });
  const find = useDebouncedCallback((value: string) => set({ q: value.trim() }), 250);
  const team = who?.startsWith('tea_') ? who : null;
  return (
    <Group gap="sm">
      <SegmentedControl
        {...{ size: 'xs', 'aria-label': 'Whose tasks', value: team ? 'team' : (who ?? 'all') }}
        data={[
          { value: 'all', label: 'All' },
          { value: 'mine', label: 'Mine' },
          ...(team ? [{ value: 'team', label: 'Team' }] : []),
        ]}
        onChange={(value) => set({ who: value === 'mine' ? 'mine' : undefined })}
      />
      {teams.length > 0 && (
        <Select
          {...{ size: 'xs', placeholder: 'Team', 'aria-label': 'Team', clearable: true, w: 160 }}
          {...{ value: team, data: teams.map(({ id, name }) => ({ value: id, label: name })) }}
          onChange={(value) => set({ who: value ?? undefined })}
        />
      )}
      <TextInput
        {...{ size: 'xs', flex: 1, miw: 140, type: 'search', placeholder: 'Find tasks' }}
        {...{ 'aria-label': 'Find tasks', value: text }}
        leftSection={<Icon name="search" size={14} />}
        onChange={({ currentTarget: { value } }) => {
          setText(value);
          find(value);
        }}
      />
      {conversation !== undefined && (
        <Badge
          variant="light"
          rightSection={
            <CloseButton
              {...{ size: 'xs', 'aria-label': 'Tasks of all conversations' }}
              onClick={() => set({ conversation: undefined })}
            />
          }
        >
          One conversation
        </Badge>
      )}
    </Group>
  );
}
