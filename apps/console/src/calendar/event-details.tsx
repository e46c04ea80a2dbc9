import {
  ActionIcon,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { Icon } from '../ui/icons.js';
import type { EventFormState } from './event-times.js';

interface DetailProps {
  readonly form: EventFormState;
  readonly isNew: boolean;
}

/** Calendar, attendees, place, link, alarms and notes. */
export function EventDetails({ form, isNew }: DetailProps): ReactElement {
  const { calendars } = useAccount();
  return (
    <>
      <Select
        {...{ label: 'Calendar', allowDeselect: false, disabled: !isNew }}
        {...(!isNew && { description: 'An event stays in its calendar.' })}
        data={calendars.map(({ id, name }) => ({ value: id, label: name }))}
        {...form.getInputProps('calendarId')}
      />
      <Attendees form={form} />
      <TextInput {...{ label: 'Place', maxLength: 500 }} {...form.getInputProps('location')} />
      <TextInput
        {...{ label: 'Conference link', type: 'url', placeholder: 'https://' }}
        {...form.getInputProps('conferenceLink')}
      />
      <Alarms form={form} />
      <Checkbox label="I am busy during it" {...form.getInputProps('busy', { type: 'checkbox' })} />
      <Textarea
        {...{ label: 'Notes', autosize: true, minRows: 3, maxLength: 10_000 }}
        {...form.getInputProps('description')}
      />
    </>
  );
}

const statuses = [
  { value: 'needs_action', label: 'Not answered' },
  { value: 'accepted', label: 'Accepts' },
  { value: 'declined', label: 'Declines' },
  { value: 'tentative', label: 'Perhaps' },
];

function Attendees({ form }: { form: EventFormState }): ReactElement {
  const [email, setEmail] = useState('');
  const { attendees } = form.values;
  const set = (changed: typeof attendees): void => form.setFieldValue('attendees', changed);
  const add = (): void => {
    const address = email.trim();
    if (!/^[^\s@]+@[^\s@]+$/.test(address)) return;
    const isNew = attendees.every((one) => one.email.toLowerCase() !== address.toLowerCase());
    if (isNew)
      set([...attendees, { email: address, name: null, role: 'required', status: 'needs_action' }]);
    setEmail('');
  };
  return (
    <Stack gap={6} role="group" aria-label="Attendees">
      <Text size="sm" fw={500}>
        Attendees
      </Text>
      {attendees.map((one, place) => (
        <Group key={one.email} gap="xs" wrap="nowrap">
          <Text size="sm" flex={1} truncate>
            <bdi>{one.name ? `${one.name} (${one.email})` : one.email}</bdi>
          </Text>
          <Select
            {...{ size: 'xs', w: 130, data: statuses, value: one.status, allowDeselect: false }}
            aria-label={`Answer of ${one.email}`}
            onChange={(status) =>
              set(
                attendees.map((it, i) =>
                  i === place ? { ...it, status: status as typeof it.status } : it,
                ),
              )
            }
          />
          <ActionIcon
            {...{ variant: 'subtle', color: 'gray', 'aria-label': `Remove ${one.email}` }}
            onClick={() => set(attendees.filter((_, i) => i !== place))}
          >
            <Icon name="cross" size={14} />
          </ActionIcon>
        </Group>
      ))}
      <Group gap="xs" wrap="nowrap">
        <TextInput
          {...{ size: 'xs', flex: 1, type: 'email', placeholder: 'name@example.com' }}
          {...{ 'aria-label': 'Address of another attendee', value: email }}
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
          onBlur={add}
        />
        <Button size="xs" variant="default" onClick={add}>
          Add
        </Button>
      </Group>
    </Stack>
  );
}

const minutes = [0, 5, 10, 15, 30, 60, 120, 1_440, 2_880, 10_080];

function Alarms({ form }: { form: EventFormState }): ReactElement {
  const { reminders } = form.values;
  const known = [...new Set([...minutes, ...reminders])].sort((a, b) => a - b);
  return (
    <MultiSelect
      {...{ label: 'Alarms', maxValues: 10, placeholder: reminders.length === 0 ? 'None' : '' }}
      data={known.map((value) => ({ value: String(value), label: alarmInWords(value) }))}
      value={reminders.map(String)}
      onChange={(chosen) => form.setFieldValue('reminders', chosen.map(Number))}
    />
  );
}

function alarmInWords(value: number): string {
  if (value === 0) return 'At the start';
  const [size, unit] =
    value % 1_440 === 0
      ? [value / 1_440, 'day']
      : value % 60 === 0
        ? [value / 60, 'hour']
        : [value, 'minute'];
  return `${size} ${unit}${size === 1 ? '' : 's'} before`;
}
