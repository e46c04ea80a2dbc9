import {
  Email,
  fieldsOf,
  Flag,
  HeaderText,
  Id,
  IfMatch,
  ListOf,
  Millis,
  OneOf,
  Part,
  Text,
  WebLink,
  type FaultCode,
  type Violation,
  type Wording,
} from '../fields/index.js';
import type { ProblemCode } from '../problems.js';
import { GivenRecurrence, readRecurrence, zoneFaults } from '../recurrence/recurrence.js';
import { Reminder, titleRequired } from '../tasks/task.js';
import {
  attendeeRoles,
  attendeeStatuses,
  eventLimits,
  eventMsMax,
  EventOverride,
  eventStatuses,
  eventVisibilities,
  type EventStatus,
  type EventVisibility,
} from './event.js';

const maybe = { optional: true, nullable: true } as const;
const code = (name: ProblemCode) => () => name;

const title = { max: eventLimits.title, filled: true, refusedAs: titleRequired } as const;
const dates = { refusedAs: code('INVALID_DATES') } as const;

/** Organizer of an event, as given. */
export class GivenOrganizer {
  @Email('Mail address.')
  email!: string;

  @HeaderText('Name.', { max: eventLimits.name, optional: true, nullable: true })
  name?: string | null;
}

/** An attendee, as given. */
export class GivenAttendee extends GivenOrganizer {
  @OneOf(attendeeRoles, 'Part that they have.', { default: 'required' })
  role!: (typeof attendeeRoles)[number];

  @OneOf(attendeeStatuses, 'What they have answered.', { default: 'needs_action' })
  status!: (typeof attendeeStatuses)[number];
}

/** Fields of an event beside its title and times; null clears. */
export class EventDetails {
  @Text('Description.', { max: eventLimits.description, ...maybe })
  description?: string | null;

  @Text('Place.', { max: eventLimits.location, ...maybe })
  location?: string | null;

  @Text('Time zone (IANA).', { max: 60, ...maybe })
  timeZone?: string | null;

  @Flag('Whether it lasts whole days.', { optional: true })
  allDay?: boolean;

  @OneOf(eventStatuses, 'Whether it takes place.', { optional: true })
  status?: EventStatus;

  @Flag('Whether it makes its people busy.', { optional: true })
  busy?: boolean;

  @OneOf(eventVisibilities, '`private`: feeds show that there is an event, and no more.', {
    optional: true,
  })
  visibility?: EventVisibility;

  @Part(() => GivenOrganizer, 'Who holds it.', maybe)
  organizer?: GivenOrganizer | null;

  @ListOf(() => GivenAttendee, 'Who takes part. Nobody is sent mail.', {
    max: eventLimits.attendees,
    ...maybe,
  })
  attendees?: GivenAttendee[] | null;

  @Part(() => GivenRecurrence, 'How it repeats.', maybe)
  recurrence?: GivenRecurrence | null;

  @ListOf(() => Reminder, 'Reminders before its start.', { max: eventLimits.reminders, ...maybe })
  reminders?: Reminder[] | null;

  @WebLink('Conference.', { ...maybe, refusedAs: code('INVALID_CONFERENCE_LINK') })
  conferenceLink?: string | null;

  @Id('cnv', 'The conversation that it is about.', { ...maybe, refersTo: 'conversation' })
  threadId?: string | null;
}

/** Input of creation. */
export class CreateEvent extends EventDetails {
  @Id('cal', 'Its calendar.')
  calendarId!: string;

  @HeaderText('Title.', title)
  title!: string;

  @Millis('Start (epoch milliseconds).', dates)
  startMs!: number;

  @Millis('End, after the start, by 366 days at most.', dates)
  endMs!: number;
}

/** Occurrences that a change applies to. */
export const occurrenceScopes = ['this', 'following'] as const;
export type OccurrenceScope = (typeof occurrenceScopes)[number];

/** Input of a changed event. */
export class EventChanges extends EventDetails {
  @HeaderText('Title.', { ...title, optional: true })
  title?: string;

  @Millis('Start (epoch milliseconds).', { ...dates, optional: true })
  startMs?: number;

  @Millis('End, after the start, by 366 days at most.', { ...dates, optional: true })
  endMs?: number;
}

/** Input of change: absent stays, null clears. */
export class UpdateEvent extends EventChanges {
  @Id('evt', 'The event.')
  id!: string;

  @Millis('Start, by the rule, of the one occurrence to change; the whole series when absent.', {
    optional: true,
  })
  occurrenceStartMs?: number;

  @OneOf(occurrenceScopes, 'That occurrence alone, or all from it on.', { default: 'this' })
  scope!: OccurrenceScope;

  @Id('cal', 'Its calendar, in which it stays: another one is refused.', { optional: true })
  calendarId?: string;

  @IfMatch()
  ifMatch?: number;
}

/** Input of removal. */
export class RemoveEvent {
  @Id('evt', 'The event.')
  id!: string;

  @Millis('Start, by the rule, of the one occurrence to cancel; the whole series when absent.', {
    optional: true,
  })
  occurrenceStartMs?: number;

  @OneOf(occurrenceScopes, 'That occurrence alone, or all from it on.', { default: 'this' })
  scope!: OccurrenceScope;

  @IfMatch()
  ifMatch?: number;
}

/** The zone of an event for which none is named. */
export const eventTimeZone = 'UTC';

/** Faults of a start and an end together. */
export function timeFaults(startMs: number, endMs: number): readonly Violation[] {
  const wrong = (fault: FaultCode, code: ProblemCode, message: Wording): readonly Violation[] => [
    { field: 'endMs', fault, message, code },
  ];
  if (endMs <= startMs)
    return wrong('TOO_SMALL', 'END_BEFORE_START', { fr: 'après startMs', en: 'after startMs' });
  const longest = { fr: 'au plus 366 jours', en: '366 days at most' };
  if (endMs - startMs > eventMsMax) return wrong('TOO_LARGE', 'DURATION_TOO_LONG', longest);
  return [];
}

/** Fields that one occurrence alone may have. */
const ofOccurrence = new Set(fieldsOf(EventOverride).map(({ name }) => name));
/** Fields that only a whole series has. */
const ofSeries = fieldsOf(EventChanges)
  .map(({ name }) => name)
  .filter((name) => !ofOccurrence.has(name));

/** Faults of a change: of one occurrence not everything can be said. */
export function changeFaults(input: UpdateEvent): readonly Violation[] {
  const isOfOne = input.occurrenceStartMs !== undefined && input.scope === 'this';
  const refused = ofSeries.filter((name) => isOfOne && Reflect.get(input, name) !== undefined);
  const message = {
    fr: 'ne peut pas être modifié pour une seule occurrence',
    en: 'it cannot be changed for one occurrence alone',
  };
  return [...refused.map((field) => ({ field, message })), ...eventFaults(input)];
}

/** Faults that no field sees alone. */
export function eventFaults(input: EventChanges): readonly Violation[] {
  const { startMs, endMs, timeZone, recurrence } = input;
  const faults: Violation[] = [...zoneFaults(timeZone)];
  if (recurrence) faults.push(...(readRecurrence(recurrence, 'recurrence', 'UTC').faults ?? []));
  if (startMs !== undefined && endMs !== undefined) faults.push(...timeFaults(startMs, endMs));
  return faults;
}
