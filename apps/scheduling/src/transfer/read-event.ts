import {
  attendeeStatuses,
  eventLimits,
  eventStatuses,
  reminderMinutesMax,
  type EventChanges,
  type GivenRecurrence,
  type Reminder,
} from '@postroom/contracts';
import {
  attendeesIn,
  durationMs,
  endIn,
  exceptionsIn,
  FileZones,
  isOfFollowing,
  occurrenceIn,
  oneOf,
  organizerIn,
  parseComponent,
  requireFitting,
  ruleIn,
  textIn,
  textsIn,
  timeIn,
  uidIn,
  Unreadable,
  type CalendarTime,
  type Component,
} from '../icalendar/index.js';

/** An event of a calendar file, or one changed occurrence of it. */
export interface ReadEvent {
  /** Empty where the file names none. */
  readonly uid: string;
  /** Start, by the rule, of the occurrence that it changes; null for the event itself. */
  readonly occurrenceMs: number | null;
  readonly given: EventChanges & { readonly startMs: number; readonly endMs: number };
}

/**
 * Reads a VEVENT (RFC 5545 §3.6.1). What makes an event another one than it says, such as a rule that
 * cannot be kept, or a text that is too long, makes it unreadable.
 * @param zones that its file defines
 * @throws Unreadable
 */
export function readEvent(bytes: Buffer, zones = FileZones.in('')): ReadEvent {
  const event = zones.settle(eventComponent(bytes));
  const start = timeIn(event, 'dtstart');
  if (!start) throw new Unreadable('no DTSTART');
  if (isOfFollowing(event)) throw new Unreadable('a change of all occurrences from one on');
  const endMs = endIn(event, start);
  if (endMs === null) throw new Unreadable('an end before the start');
  requireFitting(event);
  const { title, ...texts } = textsIn(event);
  const status = textIn(event, 'status').toLowerCase();
  const [confirmed] = eventStatuses;
  const [unanswered] = attendeeStatuses;
  return {
    uid: uidIn(event),
    occurrenceMs: occurrenceIn(event),
    given: {
      title: title || untitled,
      ...texts,
      startMs: start.ms,
      endMs,
      timeZone: start.timeZone,
      allDay: start.isDate,
      status: eventStatuses.find((one) => one === status) ?? confirmed,
      busy: textIn(event, 'transp').toUpperCase() !== 'TRANSPARENT',
      organizer: organizerIn(event),
      attendees: attendeesIn(event).map((one) => ({ ...one, status: one.status ?? unanswered })),
      recurrence: recurrenceIn(event, start),
      reminders: remindersIn(event),
      conferenceLink: conferenceIn(event),
    },
  };
}

const untitled = '(untitled)';

/** Components within an event. */
const componentsMax = 100;

/** @throws Unreadable for what is no event */
function eventComponent(bytes: Buffer): Component {
  // PostgreSQL keeps no NUL.
  const text = bytes.toString('utf8').replaceAll('\0', '');
  if ((text.match(/^BEGIN:/gim) ?? []).length > componentsMax)
    throw new Unreadable(`more than ${componentsMax} components`);
  const component = parseComponent(text);
  if (component[0] !== 'vevent') throw new Unreadable('no event');
  return component;
}

function recurrenceIn(event: Component, { timeZone }: CalendarTime): GivenRecurrence | null {
  const rrule = ruleIn(event);
  return rrule === null ? null : { rrule, timeZone, exceptMs: exceptionsIn(event) };
}

/** Alarms before the start; others are not kept. */
function remindersIn(event: Component): Reminder[] {
  const minutes = event[2]
    .filter(([name]) => name === 'valarm')
    .flatMap((alarm) => {
      const trigger = oneOf(alarm, 'trigger');
      if (trigger?.[2] !== 'duration' || trigger[1]['related'] === 'END') return [];
      return [-durationMs(String(trigger[3])) / 60_000];
    })
    .filter((one) => Number.isInteger(one) && one >= 0 && one <= reminderMinutesMax);
  return [...new Set(minutes)].slice(0, eventLimits.reminders).map((one) => ({ minutes: one }));
}

const conferences = [
  'conference',
  'x-google-conference',
  'x-microsoft-skypeteamsmeetingurl',
  'url',
];

function conferenceIn(event: Component): string | null {
  const found = conferences.map((name) => textIn(event, name));
  return found.find((link) => isLink(link)) ?? null;
}

const isLink = (text: string): boolean =>
  /^https?:\/\/\S+$/i.test(text) && text.length <= 2000 && URL.canParse(text);
