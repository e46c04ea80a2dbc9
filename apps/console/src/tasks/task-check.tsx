import type { Task } from '@postroom/contracts';
import { UnstyledButton } from '@mantine/core';
import type { KeyboardEvent, ReactElement } from 'react';
import { Icon } from '../ui/icons.js';
import './tasks.css';

/** The box that completes a task. It is no field, so that keys go on to work when it has the focus; Enter opens the task. */
export function TaskCheck(props: {
  task: Task;
  onToggle: () => void;
  onOpen?: (() => void) | undefined;
}): ReactElement {
  const { task, onToggle, onOpen } = props;
  const isDone = task.status === 'done';
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !onOpen) return;
    event.preventDefault();
    onOpen();
  };
  return (
    <UnstyledButton
      {...{ role: 'checkbox', 'aria-checked': isDone, 'data-task': task.id, onKeyDown }}
      {...{ className: 'task-check', 'data-priority': task.priority, onClick: onToggle }}
      aria-label={`Done: ${task.title}`}
    >
      {isDone && <Icon name="check" size={14} />}
    </UnstyledButton>
  );
}
