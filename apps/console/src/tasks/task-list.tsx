import type { Task } from '@postroom/contracts';
import { Badge, Box, Group, Text, Title, Tooltip, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { ruleInWords } from '../calendar/repetition/words.js';
import { Icon } from '../ui/icons.js';
import { wholeTime } from '../ui/time.js';
import { dueInWords, type TaskGroup } from './due.js';
import { TaskCheck } from './task-check.js';

/** Tasks in their groups. */
export const TaskList = (props: {
  groups: readonly TaskGroup[];
  onToggle: (task: Task) => void;
  onOpen: (task: Task) => void;
}): ReactElement => (
  <>
    {props.groups.map(({ name, tasks }) => (
      <Box component="section" key={name} aria-label={name}>
        <Title
          order={2}
          size="h5"
          c={name === 'Overdue' ? 'var(--mantine-color-error)' : 'inherit'}
        >
          {name}{' '}
          <Text span c="dimmed" size="sm">
            {tasks.length}
          </Text>
        </Title>
        <Box component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {tasks.map((task) => (
            <TaskRow
              key={task.id}
              {...{ task, isLate: name === 'Overdue' }}
              onToggle={() => props.onToggle(task)}
              onOpen={() => props.onOpen(task)}
            />
          ))}
        </Box>
      </Box>
    ))}
  </>
);

const TaskRow = (props: {
  task: Task;
  isLate: boolean;
  onToggle: () => void;
  onOpen: () => void;
}): ReactElement => {
  const { task, isLate, onToggle, onOpen } = props;
  return (
    <li className="task-row">
      <TaskCheck {...{ task, onToggle, onOpen }} />
      <UnstyledButton
        {...{ className: 'task-title', onClick: onOpen, tabIndex: -1 }}
        data-done={task.status === 'done'}
      >
        <bdi>{task.title}</bdi>
        <TaskFacts task={task} isLate={isLate} />
      </UnstyledButton>
      {task.threadId !== null && <ConversationLink id={task.threadId} />}
      <Assignee task={task} />
    </li>
  );
};

const TaskFacts = ({ task, isLate }: { task: Task; isLate: boolean }): ReactElement => {
  const { dueMs, recurrence, priority, status } = task;
  return (
    <Group gap="xs">
      {dueMs !== null && (
        <Tooltip label={wholeTime(new Date(dueMs))}>
          <Text size="xs" c={isLate ? 'var(--mantine-color-error)' : 'dimmed'} span>
            {dueInWords(dueMs)}
          </Text>
        </Tooltip>
      )}
      {recurrence && (
        <Text size="xs" c="dimmed" span>
          <Icon name="refresh" size={11} /> {ruleInWords(recurrence)}
        </Text>
      )}
      {(priority === 'high' || priority === 'urgent') && (
        <Badge
          {...{ size: 'xs', variant: 'light', c: 'var(--mantine-color-text)' }}
          color={priority === 'urgent' ? 'red' : 'orange'}
        >
          {priority}
        </Badge>
      )}
      {status === 'in_progress' && (
        <Badge size="xs" variant="light">
          In progress
        </Badge>
      )}
    </Group>
  );
};

function ConversationLink({ id }: { id: string }): ReactElement {
  return (
    <Tooltip label="Its conversation">
      <Link
        {...{ to: '/tasks', search: { conversation: id }, className: 'task-link' }}
        aria-label="Tasks of its conversation"
      >
        <Icon name="inbox" size={16} />
      </Link>
    </Tooltip>
  );
}

function Assignee({ task }: { task: Task }): ReactElement {
  const { members, teams } = useAccount();
  const name =
    members.find(({ email }) => email === task.assignee)?.name ??
    task.assignee ??
    teams.find(({ id }) => id === task.teamId)?.name ??
    '';
  return (
    <Text size="xs" c="dimmed" maw={120} truncate>
      <bdi>{name}</bdi>
    </Text>
  );
}
