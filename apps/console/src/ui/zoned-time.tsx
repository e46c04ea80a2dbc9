import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { browserZone } from './time.js';

const formOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', {
    ...{ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZone },
  });

/** A time by the clocks of one zone. */
export const timeText = (at: number, zone: string): string => formOf(zone).format(at);

/** A time in the browser's zone, and in the workspace's where its clocks say something else. */
export function ZonedTime({ at, zone }: { at: string | number; zone: string }): ReactElement {
  const date = new Date(at);
  const here = formOf(browserZone).format(date);
  const there = formOf(zone).format(date);
  return (
    <time dateTime={date.toISOString()}>
      {here}
      {here !== there && (
        <Text span inherit c="dimmed">
          {` (${there} in ${zone})`}
        </Text>
      )}
    </time>
  );
}
