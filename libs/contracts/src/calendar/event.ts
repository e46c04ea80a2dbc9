import { Creator } from '../conversations/message.js';
import {
  Email,
  Flag,
  Id,
  Instant,
  ListOf,
  Millis,
  OneOf,
  Part,
  Text,
  WebLink,
  Version,
} from '../fields/index.js';
import { Recurrence } from '../recurrence/recurrence.js';
import { Reminder } from '../tasks/task.js';

export const eventStatuses = ['confirmed', 'tentative', 'cancelled'] as const;
export type EventStatus = (typeof eventStatuses)[number];

export const eventVisibilities = ['public', 'private'] as const;
export type EventVisibility = (typeof eventVisibilities)[number];

export const attendeeStatuses = ['needs_action', 'accepted', 'declined', 'tentative'] as const;
export const attendeeRoles = ['chair', 'required', 'optional', 'informed'] as const;

/** Limits of an event; lengths in code points. */
export const eventLimits = {
  title: 200,
  description: 10_000,
  location: 500,
  name: 120,
  attendees: 500,
  reminders: 10,
  overrides: 1000,
  /** For all changed occurrences of a series together. */
  overrideAttendees: 5000,
  /** Bytes as JSON: a change on the bus has an event twice, as it was and as it is. */
  bytes: 512 * 1024,
  /** Bytes with what each changed occurrence repeats of its series, as a calendar file has it. */
  fileBytes: 2 * 1024 * 1024,
} as const;

/** An event lasts at most so long (public-api.md §2). */
export const eventMsMax = 366 * 86_400_000;

/** Organizer of an event. */
export class Organizer {
  @Email('Mail address.')
  email!: string;

  @Text('Name.', { max: eventLimits.name, nullable: true })
  name!: string | null;
}

/** An attendee of an event. */
export class Attendee extends Organizer {
  @OneOf(attendeeRoles, 'Part that they have.')
  role!: (typeof attendeeRoles)[number];

  @OneOf(attendeeStatuses, 'What they have answered.')
  status!: (typeof attendeeStatuses)[number];
}

/** Deviations of one occurrence from its series; a field that is absent is as the series has it. */
export class EventOverride {
  @Millis('Start of the occurrence by the rule of the series.')
  occurrenceStartMs!: number;

  @Text('Title.', { max: eventLimits.title, optional: true })
  title?: string;

  @Text('Description.', { max: eventLimits.description, optional: true })
  description?: string;

  @Text('Place.', { max: eventLimits.location, optional: true })
  location?: string;

  @Millis('Start.', { optional: true })
  startMs?: number;

  @Millis('When it ends.', { optional: true })
  endMs?: number;

  @Text('Time zone (IANA).', { max: 60, optional: true })
  timeZone?: string;

  @Flag('Whether it lasts whole days.', { optional: true })
  allDay?: boolean;

  @OneOf(eventStatuses, 'Whether it takes place.', { optional: true })
  status?: EventStatus;

  @Flag('Whether it makes its people busy.', { optional: true })
  busy?: boolean;

  @WebLink('Conference.', { optional: true, nullable: true })
  conferenceLink?: string | null;

  @ListOf(() => Attendee, 'Who takes part, and what they have answered.', {
    max: eventLimits.attendees,
    optional: true,
  })
  attendees?: Attendee[];
}

/** A calendar event. */
export class CalendarEvent {
  @Id('evt', 'The event.')
  id!: string;

  @Id('cal', 'Its calendar.')
  calendarId!: string;

  @Text('Its identifier in iCalendar (RFC 5545 §3.8.4.7).', { max: 255 })
  uid!: string;

  @Text('Title.', { max: eventLimits.title })
  title!: string;

  @Text('Description; empty for none.', { max: eventLimits.description })
  description!: string;

  @Text('Place; empty for none.', { max: eventLimits.location })
  location!: string;

  @Millis('Start; of a series its first one.')
  startMs!: number;

  @Millis('When it ends.')
  endMs!: number;

  @Text('Time zone (IANA).', { max: 60 })
  timeZone!: string;

  @Flag('Whether it lasts whole days.')
  allDay!: boolean;

  @OneOf(eventStatuses, 'Whether it takes place.')
  status!: EventStatus;

  @Flag('Whether it makes its people busy.')
  busy!: boolean;

  @OneOf(eventVisibilities, '`private`: feeds show that there is an event, and no more.', {
    optional: true,
  })
  visibility?: EventVisibility;

  @Part(() => Organizer, 'Who holds it; null when nobody was named.', { nullable: true })
  organizer!: Organizer | null;

  @ListOf(() => Attendee, 'Who takes part.', { max: eventLimits.attendees })
  attendees!: Attendee[];

  @Part(() => Recurrence, 'How it repeats; null when it does not.', { nullable: true })
  recurrence!: Recurrence | null;

  @ListOf(() => EventOverride, 'Occurrences that are otherwise.', { max: eventLimits.overrides })
  overrides!: EventOverride[];

  @ListOf(() => Reminder, 'Reminders before its start.', { max: eventLimits.reminders })
  reminders!: Reminder[];

  @WebLink('Conference; null for none.', { nullable: true })
  conferenceLink!: string | null;

  @Id('cnv', 'The conversation that it is about.', { nullable: true })
  threadId!: string | null;

  @Part(() => Creator, 'Who created it.')
  createdBy!: Creator;

  @Instant('Creation.')
  createdAt!: string;

  @Instant('Last change.')
  updatedAt!: string;

  @Version()
  version!: number;
}
