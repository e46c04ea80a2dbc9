import type { Availability as Available } from '@postroom/contracts';
import { Button, Group, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { api } from '../api/api.js';
import type { EventFormState } from './event-times.js';
import { timesOf } from './event-values.js';
import { dayAfter, startOfDay, wallOf } from './zoned.js';

/** Free times that are offered. */
const offersMax = 5;

/** Says whether the member is busy at the chosen time, and offers free times of that day. */
export function Availability({ form }: { form: EventFormState }): ReactElement | null {
  const { startMs, endMs } = timesOf(form.values);
  if (startMs === null || endMs === null || endMs <= startMs) return null;
  return <AtTime {...{ form, startMs, endMs }} />;
}

function AtTime(props: {
  form: EventFormState;
  startMs: number;
  endMs: number;
}): ReactElement | null {
  const { form, startMs, endMs } = props;
  const { startDate, timeZone } = form.values;
  const window = {
    from: startOfDay(startDate, timeZone) ?? startMs,
    to: startOfDay(dayAfter(startDate), timeZone) ?? endMs,
    durationMs: endMs - startMs,
  };
  const { data } = useQuery({
    queryKey: ['events', 'availability', window],
    queryFn: ({ signal }) => api.get<Available>('/v1/availability', { ...window }, signal),
    enabled: window.durationMs < 86_400_000,
    placeholderData: keepPreviousData,
  });
  if (!data) return null;
  const clash = data.busy.find((span) => span.startMs < endMs && span.endMs > startMs);
  if (!clash)
    return (
      <Text size="sm" c="dimmed" aria-live="polite">
        You are free then.
      </Text>
    );
  const timeOf = (ms: number): string => wallOf(ms, timeZone).time;
  const choose = (at: number): void => {
    const [start, end] = [wallOf(at, timeZone), wallOf(at + window.durationMs, timeZone)];
    form.setValues({
      ...{ startDate: start.date, startTime: start.time, endDate: end.date, endTime: end.time },
    });
  };
  return (
    <div>
      <Text size="sm" c="var(--mantine-color-error)" aria-live="polite">
        You are busy from {timeOf(clash.startMs)} to {timeOf(clash.endMs)}.
      </Text>
      <Group gap={6} mt={4} role="group" aria-label="Free times">
        {data.free.slice(0, offersMax).map((span) => (
          <Button
            key={span.startMs}
            {...{ size: 'compact-xs', variant: 'default', onClick: () => choose(span.startMs) }}
          >
            {timeOf(span.startMs)} is free
          </Button>
        ))}
      </Group>
    </div>
  );
}
