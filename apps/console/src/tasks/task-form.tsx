import { Button, Checkbox, Drawer, Group, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { Task, TaskAnswer, TaskRead } from '@postroom/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { api } from '../api/api.js';
import { fieldErrorsOf } from '../api/problem.js';
import { RepetitionField } from '../calendar/repetition/repetition-field.js';
import { isVersionConflict, useEdits } from '../ui/conflict.js';
import { tellDone } from '../ui/notices.js';
import { ErrorState, Loading } from '../ui/states.js';
import { browserZone } from '../ui/time.js';
import { removeTask } from './completing.js';
import { changesOf, taskLabels, valuesOf, type TaskValues } from './task-values.js';

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

interface FormProps {
  readonly latest: Task;
  readonly onClose: () => void;
  readonly onDirty: (isDirty: boolean) => void;
}

/** All of a task, to be changed from the version that it was opened with. */
function TaskForm({ latest, onClose, onDirty }: FormProps): ReactElement {
  const client = useQueryClient();
  const [failure, setFailure] = useState<unknown>(null);
  const form = useForm<TaskValues>({ initialValues: valuesOf(latest) });
  const edits = useEdits(form, latest, valuesOf, taskLabels);
  const { opened, changed } = edits;
  const isDirty = changed.length > 0;
  useEffect(() => onDirty(isDirty), [isDirty, onDirty]);
  const save = form.onSubmit(async (values) => {
    setFailure(null);
    const [path, ifMatch] = [`/v1/tasks/${latest.id}`, opened.version];
    try {
      await api.patch<TaskAnswer>(path, changesOf(values, changed), { ifMatch });
      await client.invalidateQueries({ queryKey: ['tasks'] });
      tellDone('Saved.');
      onClose();
    } catch (error) {
      if (!isVersionConflict(error)) {
        form.setErrors(fieldErrorsOf(error));
        return setFailure(error);
      }
      edits.meet((await api.get<TaskAnswer>(path)).task);
    }
  });
  return (
    <form onSubmit={save}>
      <Stack>
        {edits.notice}
        {failure !== null && <ErrorState error={failure} />}
        <TextInput
          {...{ label: 'Title', maxLength: 200, required: true, 'data-autofocus': true }}
          {...form.getInputProps('title')}
        />
        <Choices form={form} />
        <Group grow>
          <TextInput {...{ label: 'Due on', type: 'date' }} {...form.getInputProps('date')} />
          <TextInput {...{ label: 'At', type: 'time' }} {...form.getInputProps('time')} />
        </Group>
        {form.values.date !== '' && <Repetition form={form} />}
        <Textarea
          {...{ label: 'Notes', autosize: true, minRows: 3, maxLength: 5_000 }}
          {...form.getInputProps('notes')}
        />
        <Group justify="space-between">
          <Button
            {...{ variant: 'subtle', color: 'red' }}
            onClick={() => {
              onClose();
              void removeTask(client, latest);
            }}
          >
            Delete
          </Button>
          <Button type="submit" loading={form.submitting} disabled={!isDirty}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type Form = { readonly form: UseFormReturnType<TaskValues> };

function Choices({ form }: Form): ReactElement {
  const { members, teams } = useAccount();
  return (
    <>
      <Group grow>
        <Select
          {...{ label: 'Status', allowDeselect: false }}
          data={[
            { value: 'todo', label: 'To do' },
            { value: 'in_progress', label: 'In progress' },
            { value: 'done', label: 'Done' },
            { value: 'cancelled', label: 'Cancelled' },
          ]}
          {...form.getInputProps('status')}
        />
        <Select
          {...{ label: 'Priority', allowDeselect: false }}
          data={['low', 'normal', 'high', 'urgent'].map((value) => ({
            value,
            label: value.charAt(0).toUpperCase() + value.slice(1),
          }))}
          {...form.getInputProps('priority')}
        />
      </Group>
      <Group grow>
        <Select
          {...{ label: 'For', clearable: true, searchable: true, placeholder: 'Nobody yet' }}
          data={members.map(({ email, name }) => ({ value: email, label: name }))}
          {...form.getInputProps('assignee')}
        />
        <Select
          {...{ label: 'Team', clearable: true, placeholder: 'None' }}
          data={teams.map(({ id, name }) => ({ value: id, label: name }))}
          {...form.getInputProps('teamId')}
        />
      </Group>
    </>
  );
}

const Repetition = ({ form }: Form): ReactElement => (
  <>
    <RepetitionField
      {...{ value: form.values.recurrence, day: form.values.date, zone: browserZone }}
      onChange={(value) => form.setFieldValue('recurrence', value)}
      error={form.errors.recurrence as string | undefined}
    />
    {form.values.recurrence && (
      <Checkbox
        label="The next one counts from the completion of this one"
        {...form.getInputProps('fromCompletion', { type: 'checkbox' })}
      />
    )}
  </>
);
