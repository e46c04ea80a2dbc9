import { Chip, Code, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { dayAfter, startOfDay, wallOf } from '../zoned.js';
import { placesInMonth, rruleOf, simpleRule, type RuleValue } from './rule-value.js';
import { ruleInWords, weekdayNames, weekdays } from './words.js';

interface FieldProps {
  readonly value: RuleValue | null;
  readonly onChange: (value: RuleValue | null) => void;
  /** The day of the first one, by the clocks of the zone. */
  readonly day: string;
  readonly zone: string;
  readonly error?: string | undefined;
}

const choices = [
  { value: 'none', label: 'Does not repeat' },
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Every week' },
  { value: 'monthly', label: 'Every month' },
  { value: 'yearly', label: 'Every year' },
];

/** A choice of how something repeats, in words, and as the rule that calendar programs read. */
export function RepetitionField({ value, onChange, day, zone, error }: FieldProps): ReactElement {
  return (
    <Stack gap="xs">
      <Select
        {...{ label: 'Repetition', data: choices, value: value?.freq ?? 'none', error }}
        allowDeselect={false}
        onChange={(freq) =>
          onChange(freq && freq !== 'none' ? simpleRule(freq as RuleValue['freq'], day) : null)
        }
      />
      {value && (
        <>
          <Parts {...{ value, onChange, day }} />
          <End {...{ value, onChange, zone, day }} />
          <Text size="sm" component="div" aria-live="polite">
            {ruleInWords({ ...value, timeZone: zone })}
            <Code block mt={4} fz={11}>
              {rruleOf(value)}
            </Code>
          </Text>
        </>
      )}
    </Stack>
  );
}

type PartProps = { readonly value: RuleValue; readonly onChange: (value: RuleValue) => void };

const units = { daily: 'days', weekly: 'weeks', monthly: 'months', yearly: 'years' } as const;

function Parts({ value, onChange, day }: PartProps & { readonly day: string }): ReactElement {
  const places = value.freq === 'monthly' ? placesInMonth(day) : [];
  const place = places.find(
    ({ rule }) =>
      JSON.stringify([rule.byDay, rule.byMonthDay]) ===
      JSON.stringify([value.byDay, value.byMonthDay]),
  );
  return (
    <Group gap="sm" align="flex-end">
      <NumberInput
        {...{ label: `Every so many ${units[value.freq]}`, min: 1, max: 1_000, w: 150 }}
        {...{ value: value.interval, clampBehavior: 'strict' }}
        onChange={(interval) => onChange({ ...value, interval: Number(interval) || 1 })}
      />
      {value.freq === 'weekly' && (
        <Group gap={4} role="group" aria-label="Days of the week">
          {weekdays.map((one) => (
            <Chip
              key={one}
              {...{ size: 'xs', checked: value.byDay.includes(one) }}
              onChange={(isOn) =>
                onChange({
                  ...value,
                  byDay: weekdays.filter((it) => (it === one ? isOn : value.byDay.includes(it))),
                })
              }
            >
              {weekdayNames[one]?.slice(0, 3)}
            </Chip>
          ))}
        </Group>
      )}
      {value.freq === 'monthly' && (
        <Select
          {...{ label: 'When in the month', placeholder: 'As the rule says', flex: 1, miw: 200 }}
          {...{ data: places.map(({ name }) => name), value: place?.name ?? null }}
          onChange={(name) => {
            const chosen = places.find((one) => one.name === name);
            if (chosen) onChange({ ...value, ...chosen.rule, bySetPos: [] });
          }}
        />
      )}
    </Group>
  );
}

const ends = [
  { value: 'never', label: 'Never' },
  { value: 'count', label: 'After some times' },
  { value: 'until', label: 'On a day' },
];

function End(props: PartProps & { readonly zone: string; readonly day: string }): ReactElement {
  const { value, onChange, zone, day } = props;
  const end = value.count ? 'count' : value.untilMs ? 'until' : 'never';
  const untilOf = (date: string): number | null => {
    const next = startOfDay(date && dayAfter(date), zone);
    return next === null ? null : next - 1_000;
  };
  return (
    <Group gap="sm" align="flex-end">
      <Select
        {...{ label: 'Ends', data: ends, value: end, allowDeselect: false, w: 170 }}
        onChange={(choice) =>
          onChange({
            ...value,
            count: choice === 'count' ? 10 : null,
            untilMs: choice === 'until' ? untilOf(dayAfter(day, 30)) : null,
          })
        }
      />
      {end === 'count' && (
        <NumberInput
          {...{ label: 'Times', min: 1, max: 1_000, w: 110, value: value.count ?? 1 }}
          onChange={(count) => onChange({ ...value, count: Number(count) || 1 })}
        />
      )}
      {end === 'until' && (
        <TextInput
          {...{ label: 'Last day', type: 'date' }}
          value={value.untilMs ? wallOf(value.untilMs, zone).date : ''}
          onChange={({ currentTarget }) => {
            const untilMs = untilOf(currentTarget.value);
            if (untilMs !== null) onChange({ ...value, untilMs });
          }}
        />
      )}
    </Group>
  );
}
