import type { TaskRead } from '@postroom/contracts';
import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api } from '../api/api.js';
import { ErrorState, Loading } from '../ui/states.js';
import { TaskForm } from './task-form.js';

/** A task in full, to be changed. */
export function TaskDrawer({ id, onClose }: { id: string; onClose: () => void }): ReactElement {
  const { data, error } = useQuery({
    queryKey: ['tasks', 'one', id],
    queryFn: () => api.get<TaskRead>(`/v1/tasks/${encodeURIComponent(id)}`),
  });
  const [isDirty, setIsDirty] = useState(false);
  return (
    <Drawer
      {...{ opened: true, onClose, position: 'right', title: 'Task', size: 'md' }}
      closeOnClickOutside={!isDirty}
    >
      {error && <ErrorState error={error} />}
      {!data && !error && <Loading />}
      {data && <TaskForm {...{ latest: data.task, onClose, onDirty: setIsDirty }} />}
    </Drawer>
  );
}
