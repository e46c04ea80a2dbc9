import { Text, Tooltip } from '@mantine/core';
import { useEffect, useState, type ReactElement } from 'react';

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const clock = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const dayOfYear = new Intl.DateTimeFormat('en', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
});
const whole = new Intl.DateTimeFormat('en', {
  dateStyle: 'full',
  timeStyle: 'medium',
  hourCycle: 'h23',
});

/** The browser's zone (IANA). */
export const browserZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** As a list of mail shows it: the hour today, the day this year, else with the year. */
export function shortTime(at: Date, now = new Date()): string {
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  return (at.getFullYear() === now.getFullYear() ? day : dayOfYear).format(at);
}

/** As "3 min. ago" or "in 71 hr.". */
function relativeTime(at: Date, now = new Date()): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000;
  const size = Math.abs(seconds);
  if (size < 60) return relative.format(Math.round(seconds), 'second');
  if (size < 3_600) return relative.format(Math.round(seconds / 60), 'minute');
  if (size < 4 * 86_400) return relative.format(Math.round(seconds / 3_600), 'hour');
  return relative.format(Math.round(seconds / 86_400), 'day');
}

/** Day and time in words, in the browser's zone. */
export const wholeTime = (at: Date): string => `${whole.format(at)} (${browserZone})`;

/** As a message shows it: the time of a list, and the hour of any day. */
function dayTime(at: Date, now: Date): string {
  const short = shortTime(at, now);
  return at.toDateString() === now.toDateString() ? short : `${short}, ${clock.format(at)}`;
}

/** A time, short, with its hour or relative, with the whole of it in a tooltip. */
export function Time(props: {
  at: string | number;
  form?: 'short' | 'day' | 'relative';
}): ReactElement {
  const at = new Date(props.at);
  const iso = at.toISOString();
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    if (props.form !== 'relative') return undefined;
    const isNear = Math.abs(Date.parse(iso) - now.getTime()) < 60_000;
    const timer = setTimeout(() => setNow(new Date()), isNear ? 1_000 : 30_000);
    return () => clearTimeout(timer);
  }, [props.form, iso, now]);
  return (
    <Tooltip label={wholeTime(at)}>
      <time dateTime={iso}>{textOf(props.form, at, now)}</time>
    </Tooltip>
  );
}

function textOf(form: 'short' | 'day' | 'relative' | undefined, at: Date, now: Date): string {
  if (form === 'relative') return relativeTime(at, now);
  return form === 'day' ? dayTime(at, now) : shortTime(at, now);
}

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
