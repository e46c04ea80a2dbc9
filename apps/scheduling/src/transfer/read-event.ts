import {
  attendeeStatuses,
  eventStatuses,
  recurrenceLimits,
  type EventChanges,
  type GivenRecurrence,
} from '@postroom/contracts';
import {
  additionsIn,
  allOf,
  attendeesIn,
  calendarText,
  conferenceIn,
  exceptionsIn,
  FileZones,
  isBusy,
  isOfFollowing,
  isPrivate,
  keptEndIn,
  occurrenceIn,
  onceOnly,
  oneOf,
  organizerIn,
  parseComponent,
  remindersIn,
  ruleIn,
  textIn,
  textsIn,
  timeIn,
  uidIn,
  Unreadable,
  type CalendarTime,
  type Component,
  type Tell,
} from '../icalendar/index.js';

/** An event of a calendar file, or one changed occurrence of it. */
export interface ReadEvent {
  /** Empty where the file names none. */
  readonly uid: string;
  /** The occurrence that it changes, as the file names it; null for the event itself. */
  readonly occurrence: CalendarTime | null;
  readonly given: EventChanges & { readonly startMs: number; readonly endMs: number };
  /** Changes and losses that it took to keep it. */
  readonly warnings: readonly string[];
}

/**
 * Reads a VEVENT (RFC 5545 §3.6.1). What cannot be kept is left out and told; what makes an event another one than
 * it says, such as a rule that cannot be kept, makes it unreadable.
 * @param zones that its file defines
 * @throws Unreadable
 */
export function readEvent(bytes: Buffer, zones = FileZones.in('')): ReadEvent {
  const warnings = new Set<string>();
  const tell: Tell = (warning) => void warnings.add(warning);
  const settled = zones.settle(eventComponent(bytes, tell));
  settled.warnings.forEach(tell);
  const { event } = settled;
  const start = timeIn(event, 'dtstart');
  if (!start) throw new Unreadable('no DTSTART');
  if (isOfFollowing(event)) throw new Unreadable('a change of all occurrences from one on');
  const recurrence = recurrenceIn(event, start, tell);
  if (start.ms < 1 && !recurrence) throw new Unreadable('a time before 1970');
  const endMs = keptEndIn(event, start, tell);
  const { title, ...texts } = textsIn(event, tell);
  const status = textIn(event, 'status').toLowerCase();
  const [confirmed] = eventStatuses;
  const [unanswered] = attendeeStatuses;
  const isSeries = recurrence !== null;
  const given = {
    title: title || untitled,
    ...texts,
    startMs: start.ms,
    endMs,
    timeZone: start.timeZone,
    allDay: start.isDate,
    status: eventStatuses.find((one) => one === status) ?? confirmed,
    busy: isBusy(event),
    visibility: isPrivate(event) ? ('private' as const) : ('public' as const),
    organizer: organizerIn(event),
    attendees: attendeesIn(event, tell).map((one) => ({
      ...{ ...one, status: one.status ?? unanswered },
    })),
    recurrence,
    reminders: remindersIn(event, { start, endMs, isSeries }, tell),
    conferenceLink: conferenceIn(event),
  };
  if (oneOf(event, 'attach')) tell('ATTACH left out');
  return {
    uid: uidIn(event, tell),
    occurrence: occurrenceIn(event),
    given,
    warnings: [...warnings],
  };
}

const untitled = '(untitled)';

/** Components within an event. */
const componentsMax = 100;

/** @throws Unreadable for what is no event */
function eventComponent(bytes: Buffer, tell: Tell): Component {
  const text = calendarText(bytes);
  if ((text.match(/^[ \t]*BEGIN[ \t]*:/gim) ?? []).length > componentsMax)
    throw new Unreadable(`more than ${componentsMax} components`);
  const component = parseComponent(text, (name) => tell(`${name} left out: it cannot be read`));
  if (component[0] !== 'vevent') throw new Unreadable('no event');
  return component;
}

/** The rule of an event, as its file says; exceptions and additions are named by its start. @throws Unreadable */
function recurrenceIn(
  event: Component,
  { ms: startMs, timeZone, isDate: allDay }: CalendarTime,
  tell: Tell,
): GivenRecurrence | null {
  const rrule = ruleIn(event);
  const series = { startMs, timeZone, allDay };
  const addedMs = firstOf(additionsIn(event, series), recurrenceLimits.additions, 'RDATE', tell);
  if (oneOf(event, 'exrule')) tell('EXRULE left out: its days are not excepted');
  if (allOf(event, 'x-postroom-rule').length > 1) tell('all but the first RRULE left out');
  if (allOf(event, 'rdate').some(([, , type]) => type === 'period'))
    tell('RDATE periods last as long as the event');
  if (rrule === null && addedMs.length === 0) return null;
  const excepted = exceptionsIn(event, series);
  const exceptMs = firstOf(excepted, recurrenceLimits.exceptions, 'EXDATE', tell);
  return { rrule: rrule ?? onceOnly, timeZone, exceptMs, addedMs };
}

function firstOf(moments: readonly number[], max: number, name: string, tell: Tell): number[] {
  if (moments.length > max) tell(`${moments.length - max} of ${name} left out: more than ${max}`);
  return moments.slice(0, max);
}
