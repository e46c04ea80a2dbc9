import type { CalendarEvent, GivenAttendee } from '@postroom/contracts';
import { givenRule, movedRule, ruleValueOf, type RuleValue } from './repetition/rule-value.js';
import { dayAfter, msOf, startOfDay, wallOf } from './zoned.js';

/** An event as its form holds it: days and times by the clocks of its own zone. */
export interface EventValues {
  readonly title: string;
  readonly calendarId: string;
  readonly allDay: boolean;
  readonly startDate: string;
  readonly startTime: string;
  /** The last day; of an event that lasts whole days it is one of them. */
  readonly endDate: string;
  readonly endTime: string;
  readonly timeZone: string;
  readonly recurrence: RuleValue | null;
  readonly attendees: readonly GivenAttendee[];
  readonly location: string;
  readonly conferenceLink: string;
  readonly reminders: readonly number[];
  readonly description: string;
  readonly busy: boolean;
}

export const eventLabels: Readonly<Record<keyof EventValues, string>> = {
  ...{ title: 'Title', calendarId: 'Calendar', allDay: 'Whole days', startDate: 'First day' },
  ...{ startTime: 'From', endDate: 'Last day', endTime: 'To', timeZone: 'Time zone' },
  ...{ recurrence: 'Repetition', attendees: 'Attendees', location: 'Place', busy: 'Busy' },
  ...{ conferenceLink: 'Conference link', reminders: 'Alarms', description: 'Notes' },
};

/** The fields of an event that its form has, at one of its times. */
export type Planned = Pick<
  CalendarEvent,
  | 'title'
  | 'calendarId'
  | 'allDay'
  | 'startMs'
  | 'endMs'
  | 'timeZone'
  | 'recurrence'
  | 'attendees'
  | 'location'
  | 'conferenceLink'
  | 'reminders'
  | 'description'
  | 'busy'
>;

export function eventValues(event: Planned): EventValues {
  const { title, calendarId, allDay, timeZone, attendees, location, description, busy } = event;
  const start = wallOf(event.startMs, timeZone);
  // A whole day ends where the next one begins.
  const end = wallOf(allDay ? event.endMs - 1 : event.endMs, timeZone);
  return {
    ...{ title, calendarId, allDay, timeZone, attendees, location, description, busy },
    ...{ startDate: start.date, startTime: allDay ? '09:00' : start.time },
    ...{ endDate: end.date, endTime: allDay ? '10:00' : end.time },
    recurrence: ruleValueOf(event.recurrence),
    conferenceLink: event.conferenceLink ?? '',
    reminders: event.reminders.map(({ minutes }) => minutes),
  };
}

/** Start and end as moments; null where a field is empty. */
export function timesOf(values: EventValues): { startMs: number | null; endMs: number | null } {
  const { allDay, startDate, startTime, endDate, endTime, timeZone } = values;
  if (allDay)
    return {
      startMs: startOfDay(startDate, timeZone),
      endMs: endDate === '' ? null : startOfDay(dayAfter(endDate), timeZone),
    };
  return {
    startMs: msOf({ date: startDate, time: startTime }, timeZone),
    endMs: msOf({ date: endDate, time: endTime }, timeZone),
  };
}

const timeFields = ['allDay', 'startDate', 'startTime', 'endDate', 'endTime', 'timeZone'] as const;

/** The fields that were changed, as they are sent. */
export function eventChanges(
  values: EventValues,
  changed: readonly string[],
  before: EventValues | null,
): Record<string, unknown> {
  const has = (...fields: readonly string[]): boolean =>
    fields.some((one) => changed.includes(one));
  const { title, location, description, busy, attendees, timeZone, allDay } = values;
  const plain = { title, location, description, busy, attendees };
  const isMoved = has('startDate') && Boolean(before?.recurrence);
  const rule = isMoved && !has('recurrence') ? movedWith(values, before) : values.recurrence;
  return {
    ...Object.fromEntries(Object.entries(plain).filter(([field]) => has(field))),
    ...(has(...timeFields) && { ...timesOf(values), timeZone, allDay }),
    ...(has('recurrence', 'timeZone', isMoved ? 'startDate' : '') && {
      recurrence: givenRule(rule, timeZone),
    }),
    ...(has('conferenceLink') && { conferenceLink: linkOf(values) }),
    ...(has('reminders') && { reminders: values.reminders.map((minutes) => ({ minutes })) }),
  };
}

const linkOf = ({ conferenceLink }: EventValues): string | null => conferenceLink.trim() || null;

/** The rule with the days that it names, moved along with the first day. */
const movedWith = (
  { recurrence, startDate }: EventValues,
  before: EventValues | null,
): RuleValue | null =>
  recurrence && movedRule(recurrence, before?.startDate ?? startDate, startDate);

/** A sentence where the times cannot be; the server says the same, later. */
export function timeFault(values: EventValues): string | null {
  const { startMs, endMs } = timesOf(values);
  if (startMs === null || endMs === null) return 'Give a day and a time.';
  return endMs > startMs ? null : 'It must end after its start.';
}
