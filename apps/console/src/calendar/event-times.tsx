import { Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactElement } from 'react';
import { useAccount } from '../api/account.js';
import { browserZone } from '../ui/time.js';
import { timesOf, type EventValues } from './event-values.js';
import { changesClock, dayAfter, zones } from './zoned.js';

export type EventFormState = UseFormReturnType<EventValues>;

/** Days, times and the zone that they are meant in, with the same elsewhere beside it. */
export function EventTimes({ form }: { form: EventFormState }): ReactElement {
  const { allDay, startDate, timeZone } = form.values;
  return (
    <Stack gap="xs">
      <Switch label="Whole days" {...form.getInputProps('allDay', { type: 'checkbox' })} />
      <Group grow align="flex-start">
        <TextInput
          {...{ label: 'First day', type: 'date' }}
          {...form.getInputProps('startDate')}
          onChange={({ currentTarget: { value } }) => moveStart(form, value)}
        />
        {!allDay && (
          <TextInput {...{ label: 'From', type: 'time' }} {...form.getInputProps('startTime')} />
        )}
      </Group>
      <Group grow align="flex-start">
        <TextInput {...{ label: 'Last day', type: 'date' }} {...form.getInputProps('endDate')} />
        {!allDay && (
          <TextInput {...{ label: 'To', type: 'time' }} {...form.getInputProps('endTime')} />
        )}
      </Group>
      <Select
        {...{ label: 'Time zone', searchable: true, allowDeselect: false, limit: 100 }}
        data={[...new Set([timeZone, ...zones()])]}
        {...form.getInputProps('timeZone')}
      />
      {changesClock(startDate, timeZone) && (
        <Text size="xs" c="dimmed">
          The clocks change on that day in {timeZone}.
        </Text>
      )}
      {!allDay && <Elsewhere values={form.values} />}
    </Stack>
  );
}

/** Moves the last day along with the first one. */
function moveStart(form: EventFormState, date: string): void {
  const { startDate, endDate } = form.values;
  form.setFieldValue('startDate', date);
  const days = Math.round((Date.parse(endDate) - Date.parse(startDate)) / 86_400_000);
  if (date !== '' && Number.isFinite(days)) form.setFieldValue('endDate', dayAfter(date, days));
}

/** The same times by the clocks of the browser and of the workspace, where they differ. */
function Elsewhere({ values }: { values: EventValues }): ReactElement | null {
  const { workspace } = useAccount();
  const { startMs, endMs } = timesOf(values);
  if (startMs === null || endMs === null || endMs <= startMs) return null;
  const others = [...new Set([browserZone, workspace.timeZone])].filter(
    (zone) => zone !== values.timeZone,
  );
  return (
    <>
      {others.map((zone) => (
        <Text key={zone} size="xs" c="dimmed">
          In {zone}: {rangeIn(zone).formatRange(startMs, endMs)}
        </Text>
      ))}
    </>
  );
}

const rangeIn = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en', {
    ...{ timeZone, weekday: 'short', day: 'numeric', month: 'short' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
