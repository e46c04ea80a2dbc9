import { ActionIcon, Group, Stack, Text, TextInput, UnstyledButton } from '@mantine/core';
import type { Task, TaskCreated } from '@postroom/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api, newIdempotencyKey } from '../api/api.js';
import { Icon } from '../ui/icons.js';
import { tellFailure } from '../ui/notices.js';
import { ErrorState } from '../ui/states.js';
import { browserZone } from '../ui/time.js';
import { useCompleting } from './completing.js';
import { dueInWords, groupsOf } from './due.js';
import { TaskCheck } from './task-check.js';
import { tasksQuery, useTasksLive } from './task-query.js';

/** The tasks of a conversation, with a line for another one. */
export function ConversationTasks(props: {
  conversationId: string;
  mailbox: string;
}): ReactElement {
  const { conversationId } = props;
  useTasksLive();
  const { data, error } = useQuery(tasksQuery({ threadId: conversationId }));
  if (error) return <ErrorState error={error} />;
  const tasks = groupsOf(data ?? []).flatMap((group) => group.tasks);
  return (
    <Stack gap={4}>
      {tasks.map((task) => (
        <SmallTask key={task.id} task={task} />
      ))}
      {data?.length === 0 && (
        <Text size="sm" c="dimmed">
          No tasks yet
        </Text>
      )}
      <NewTask key={conversationId} conversationId={conversationId} />
    </Stack>
  );
}

function SmallTask({ task }: { task: Task }): ReactElement {
  const complete = useCompleting();
  const navigate = useNavigate();
  const open = (): void => void navigate({ to: '/tasks', search: { task: task.id } });
  return (
    <Group gap="xs" wrap="nowrap" align="flex-start">
      <TaskCheck {...{ task, onToggle: () => complete(task), onOpen: open }} />
      <UnstyledButton
        {...{ className: 'task-title', onClick: open, 'data-done': task.status === 'done' }}
      >
        <Text size="sm" component="bdi">
          {task.title}
        </Text>
        {task.dueMs !== null && (
          <Text size="xs" c="dimmed" component="span" display="block">
            {dueInWords(task.dueMs)}
          </Text>
        )}
      </UnstyledButton>
    </Group>
  );
}

function NewTask({ conversationId }: { conversationId: string }): ReactElement {
  const client = useQueryClient();
  const { member } = useAccount();
  const [title, setTitle] = useState('');
  const [idempotencyKey, setKey] = useState(newIdempotencyKey);
  const add = async (): Promise<void> => {
    const task = {
      ...{ title: title.trim(), threadId: conversationId, assignee: member.email },
      ...{ timeZone: browserZone, source: 'mail' },
    };
    try {
      await api.post<TaskCreated>('/v1/tasks', { task }, { idempotencyKey });
      setTitle('');
      setKey(newIdempotencyKey());
      await client.invalidateQueries({ queryKey: ['tasks'] });
    } catch (error) {
      tellFailure(error);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (title.trim() !== '') void add();
      }}
    >
      <TextInput
        {...{ size: 'xs', placeholder: 'Add a task', 'aria-label': 'New task', value: title }}
        {...{ maxLength: 200 }}
        onChange={({ currentTarget }) => setTitle(currentTarget.value)}
        rightSection={
          <ActionIcon type="submit" variant="subtle" size="sm" aria-label="Add the task">
            <Icon name="plus" size={14} />
          </ActionIcon>
        }
      />
    </form>
  );
}
