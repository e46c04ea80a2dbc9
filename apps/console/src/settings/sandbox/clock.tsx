import type { ClockAdvance, SandboxAnswer } from '@postroom/contracts';
import { NumberInput, Select, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useAccount } from '../../api/account.js';
import { api } from '../../api/api.js';
import { Section } from '../../ui/page.js';
import { QueryState } from '../../ui/states.js';
import { LineForm, useSubmit } from '../../ui/submit.js';
import { ZonedTime } from '../../ui/time.js';

const unitMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
type Unit = keyof typeof unitMs;

const sandboxQuery = queryOptions({
  queryKey: ['settings', 'sandbox'],
  queryFn: ({ signal }) => api.get<SandboxAnswer>('/sandbox', undefined, signal),
  // There is no event at the end of an advance that takes more than half a minute.
  refetchInterval: ({ state }) =>
    state.data?.sandbox.advance?.state === 'running' ? 2_000 : false,
});

/** The time of the sandbox, and its advance. */
export function Clock(): ReactElement {
  const client = useQueryClient();
  const { timeZone } = useAccount().workspace;
  const form = useForm<{ count: number; unit: Unit }>({ initialValues: { count: 1, unit: 'day' } });
  const submission = useSubmit(form, async ({ count, unit }) => {
    const body = { advanceMs: Math.round(count * unitMs[unit]) };
    const moved = await api.post<SandboxAnswer>('/sandbox/clock', body);
    client.setQueryData(sandboxQuery.queryKey, moved);
    // Whatever fell due has changed what the other pages show.
    await client.invalidateQueries();
  });
  return (
    <Section
      title="Clock"
      about="It goes forward alone. What falls due on the way happens in its order, with its webhooks: snoozes, reminders, scheduled mail, expiries."
    >
      <QueryState query={useQuery(sandboxQuery)}>
        {({ sandbox: { now, aheadMs, advance } }) => (
          <Stack gap={4} role="status">
            <Text fw={600}>
              <ZonedTime at={now} zone={timeZone} />
            </Text>
            <Text size="sm" c="dimmed">
              {aheadMs === 0 ? 'The real time' : `${spanText(aheadMs)} ahead of the real time`}
            </Text>
            {advance && <Text size="sm">{advanceText(advance)}</Text>}
          </Stack>
        )}
      </QueryState>
      <LineForm {...{ form, submission }} label="Move the clock">
        <NumberInput
          {...{ label: 'Move forward by', w: 140, min: 1, required: true, withAsterisk: false }}
          {...form.getInputProps('count')}
        />
        <Select
          {...{ 'aria-label': 'Unit', w: 130, allowDeselect: false }}
          data={(Object.keys(unitMs) as Unit[]).map((unit) => ({
            ...{ value: unit, label: `${unit}s` },
          }))}
          {...form.getInputProps('unit')}
        />
      </LineForm>
    </Section>
  );
}

/** A span in the largest unit of which it has one. */
function spanText(ms: number): string {
  const unit = (['day', 'hour'] as const).find((one) => ms >= unitMs[one]) ?? 'minute';
  const style = { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 1 } as const;
  return new Intl.NumberFormat('en', style).format(ms / unitMs[unit]);
}

function advanceText({ state, advanceMs, advancedMs, stops }: ClockAdvance): string {
  const stopped = stops === 1 ? 'one stop' : `${stops} stops`;
  const due = stops === 0 ? 'nothing was due' : `${stopped} at what was due`;
  if (state === 'done') return `Moved by ${spanText(advanceMs)}; ${due}.`;
  const part = `${spanText(advancedMs)} of ${spanText(advanceMs)}; ${due}`;
  return state === 'running' ? `Moving: ${part}.` : `It ended early: ${part}.`;
}
