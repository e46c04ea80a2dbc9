import '@mantine/dates/styles.css';
import { Button, Group, Stack, Text } from '@mantine/core';
import { DateTimePicker } from '@mantine/dates';
import { useState, type ReactElement } from 'react';
import { Temporal } from 'temporal-polyfill';
import { useAccount } from '../api/account.js';
import { browserZone } from '../ui/time.js';

/** A day and a time in the browser's zone, with the workspace's beside it where that differs. */
export function ChooseTime({ onChoose }: { onChoose: (at: string) => void }): ReactElement {
  const zone = useAccount().workspace.timeZone;
  const [now] = useState(() => Temporal.Now.zonedDateTimeISO(browserZone));
  const [text, setText] = useState<string | null>(() => localText(morning(now, 1)));
  const chosen = text === null ? null : zoned(text);
  const isPast = chosen !== null && Temporal.ZonedDateTime.compare(chosen, now) <= 0;
  return (
    <Stack>
      <Group gap="xs">
        <Preset label="Tomorrow morning" at={morning(now, 1)} onPick={setText} />
        <Preset label="Monday morning" at={morning(now, 8 - now.dayOfWeek)} onPick={setText} />
        <Preset label="In two hours" at={now.add({ hours: 2 })} onPick={setText} />
      </Group>
      <DateTimePicker
        {...{ label: 'Day and time', value: text, valueFormat: 'ddd D MMM YYYY, HH:mm' }}
        {...{ highlightToday: true, clearable: false, popoverProps: { withinPortal: true } }}
        minDate={now.toPlainDate().toString()}
        maxDate={now.add({ days: 365 }).toPlainDate().toString()}
        error={isPast ? 'That time is over.' : undefined}
        onChange={setText}
      />
      {chosen && (
        <Text size="sm" c="dimmed">
          {clock(chosen, browserZone)}
          {zone !== browserZone && (
            <>
              <br />
              {clock(chosen, zone)}
            </>
          )}
        </Text>
      )}
      <Button
        disabled={chosen === null || isPast}
        onClick={() => chosen && onChoose(chosen.toInstant().toString())}
      >
        Schedule
      </Button>
    </Stack>
  );
}

const Preset = (props: {
  label: string;
  at: Temporal.ZonedDateTime;
  onPick: (text: string) => void;
}): ReactElement => (
  <Button size="compact-sm" variant="default" onClick={() => props.onPick(localText(props.at))}>
    {props.label}
  </Button>
);

const morning = (now: Temporal.ZonedDateTime, days: number): Temporal.ZonedDateTime =>
  now.add({ days }).withPlainTime('09:00');

/** As the picker speaks: `2026-11-26 14:00:00`. */
const localText = (at: Temporal.ZonedDateTime): string =>
  at.toPlainDateTime().toString({ smallestUnit: 'second' }).replace('T', ' ');

const zoned = (text: string): Temporal.ZonedDateTime =>
  Temporal.PlainDateTime.from(text.replace(' ', 'T')).toZonedDateTime(browserZone);

const clock = (at: Temporal.ZonedDateTime, timeZone: string): string =>
  `${new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short', hourCycle: 'h23', timeZone }).format(at.epochMilliseconds)} (${timeZone})`;
