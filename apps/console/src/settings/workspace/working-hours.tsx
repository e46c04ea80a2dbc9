import type { WorkspaceSettings } from '@postroom/contracts';
import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import type { ReactElement } from 'react';
import { Icon } from '../../ui/icons.js';
import { Section } from '../../ui/page.js';

type Hours = WorkspaceSettings['workingHours'][number];

const dayNames = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });

/** Weekdays as the contract names them, Monday first. */
const days: readonly Hours['day'][] = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

interface WorkingHoursProps {
  readonly form: UseFormReturnType<
    Pick<WorkspaceSettings, 'name' | 'timeZone' | 'workingHours' | 'mailEffects'>
  >;
}

/** The hours of each weekday, in which free times are looked for. */
export function WorkingHours({ form }: WorkingHoursProps): ReactElement {
  const all = form.values.workingHours;
  const set = (hours: readonly Hours[]): void => form.setFieldValue('workingHours', [...hours]);
  return (
    <Section title="Working hours" about="Free times are looked for in them.">
      <Stack gap="xs">
        {days.map((day, number) => (
          <Group key={day} gap="sm" align="flex-start">
            <Text size="sm" w={96} pt={6}>
              {nameOf(number)}
            </Text>
            <Stack gap={6}>
              {all.map(
                (one, i) =>
                  one.day === day && (
                    <Span
                      key={i}
                      {...{ hours: one, day: nameOf(number) }}
                      error={form.errors[`workingHours.${i}`] ?? null}
                      onChange={(changed) => set(all.with(i, changed))}
                      onRemove={() => set(all.toSpliced(i, 1))}
                    />
                  ),
              )}
            </Stack>
            <Button
              {...{ size: 'compact-xs', variant: 'subtle', mt: 6 }}
              aria-label={`Add hours on ${nameOf(number)}`}
              disabled={all.length >= 21}
              onClick={() => set([...all, { day, from: '09:00', to: '17:00' }])}
            >
              Add hours
            </Button>
          </Group>
        ))}
      </Stack>
    </Section>
  );
}

/** The 5th of January 2026 is a Monday. */
const nameOf = (number: number): string => dayNames.format(Date.UTC(2026, 0, 5 + number));

const Span = (props: {
  hours: Hours;
  day: string;
  error: React.ReactNode;
  onChange: (hours: Hours) => void;
  onRemove: () => void;
}): ReactElement => (
  <Group gap={6} wrap="nowrap" align="flex-start">
    {(['from', 'to'] as const).map((end) => (
      <TextInput
        key={end}
        {...{ size: 'xs', w: 72, value: props.hours[end], maxLength: 5, placeholder: '09:00' }}
        aria-label={`${props.day} ${end}`}
        error={end === 'from' && props.error}
        onChange={({ currentTarget: { value } }) =>
          props.onChange({ ...props.hours, [end]: value })
        }
      />
    ))}
    <ActionIcon
      {...{ variant: 'subtle', color: 'gray', onClick: props.onRemove }}
      aria-label={`Remove ${props.day} ${props.hours.from} to ${props.hours.to}`}
    >
      <Icon name="cross" size={14} />
    </ActionIcon>
  </Group>
);
