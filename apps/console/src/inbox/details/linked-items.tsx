import { ActionIcon, Anchor, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import type { Conversation } from '@postroom/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type KeyboardEvent, type ReactElement } from 'react';
import { api, newIdempotencyKey } from '../../api/api.js';
import { Icon } from '../../ui/icons.js';
import { tellDone, tellFailure } from '../../ui/notices.js';
import { conversationsKey } from '../conversation-query.js';
import type { Row } from '../list/rows.js';

type Links = Conversation['links'];

/** Tasks and events of the conversation, and a task that is added in a line. */
export function LinkedItems({ row, links }: { row: Row; links: Links }): ReactElement {
  const [isAdding, setIsAdding] = useState(false);
  return (
    <Stack gap="sm">
      <div>
        <Group justify="space-between">
          <Title order={3} size="h6">
            Tasks
          </Title>
          <ActionIcon
            {...{
              variant: 'subtle',
              size: 'sm',
              'aria-label': 'Add a task',
              'aria-expanded': isAdding,
            }}
            onClick={() => setIsAdding(!isAdding)}
          >
            <Icon name="plus" size={14} />
          </ActionIcon>
        </Group>
        <Items items={links.tasks} to="/tasks" none="No task" />
        {isAdding && <NewTask row={row} onDone={() => setIsAdding(false)} />}
      </div>
      <div>
        <Title order={3} size="h6">
          Events
        </Title>
        <Items items={links.events} to="/calendar" none="No event" />
      </div>
    </Stack>
  );
}

function Items(props: { items: Links['tasks']; to: string; none: string }): ReactElement {
  if (props.items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {props.none}
      </Text>
    );
  return (
    <>
      {props.items.map(({ id, title }) => (
        <Anchor key={id} component={Link} to={props.to} size="sm" display="block" truncate>
          <bdi>{title}</bdi>
        </Anchor>
      ))}
    </>
  );
}

function NewTask({ row, onDone }: { row: Row; onDone: () => void }): ReactElement {
  const client = useQueryClient();
  const [key] = useState(newIdempotencyKey);
  const [title, setTitle] = useState(row.subject.slice(0, 200));
  const save = async (): Promise<void> => {
    try {
      const task = { title: title.trim(), threadId: row.id };
      await api.post('/v1/tasks', { task }, { idempotencyKey: key });
      tellDone('Task added.');
      onDone();
      await client.invalidateQueries({ queryKey: [...conversationsKey, row.mailbox, row.id] });
    } catch (error) {
      tellFailure(error);
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && title.trim() !== '') void save();
    if (event.key === 'Escape') onDone();
  };
  return (
    <TextInput
      {...{ size: 'xs', mt: 6, value: title, maxLength: 200, autoFocus: true, onKeyDown }}
      {...{ 'aria-label': 'Title of the task', description: 'Enter adds it' }}
      onChange={({ currentTarget }) => setTitle(currentTarget.value)}
    />
  );
}
