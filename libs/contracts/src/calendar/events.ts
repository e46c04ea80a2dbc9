import { AnswerOf, Done } from '../answers.js';
import { Count, Email, Flag, Id, ListOf, Millis, Part, type Violation } from '../fields/index.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';
import { reminderMinutesMax } from '../tasks/task.js';
import { changeFaults, CreateEvent, eventFaults, RemoveEvent, UpdateEvent } from './content.js';
import { CalendarEvent } from './event.js';

/** Events and occurrences in an answer, at most. */
export const eventsMax = 1000;
export const occurrencesMax = 5000;

/** Input of the list. */
export class ListCalendarEvents {
  @Millis('From this moment on; when absent 30 days ago, or 90 days before an earlier `to`.', {
    optional: true,
  })
  from?: number;

  @Millis(
    'Up to this moment, which is not in the window; when absent 60 days ahead, or 90 days after a later `from`.',
    { optional: true },
  )
  to?: number;

  @Id('cal', 'Events of this calendar alone.', { optional: true })
  calendarId?: string;
}

/** One time at which an event takes place. */
export class Occurrence {
  @Id('evt', 'The event.')
  eventId!: string;

  @Id('cal', 'Its calendar.')
  calendarId!: string;

  @Millis('Start.')
  startMs!: number;

  @Millis('When it ends.')
  endMs!: number;

  @Millis('Start by the rule of the series, which names the occurrence.')
  occurrenceStartMs!: number;
}

/** A reminder whose time has come. */
export class ReminderDue {
  @Id('evt', 'The event.')
  eventId!: string;

  @Millis('Start of the occurrence by the rule.')
  occurrenceStartMs!: number;

  @Millis('When it became due.')
  dueMs!: number;

  @Count('Minutes before the start.', { max: reminderMinutesMax })
  minutes!: number;
}

/** The window of an answer. */
export class EventWindow {
  @Millis('Its start.')
  fromMs!: number;

  @Millis('Its end.')
  toMs!: number;
}

const meAbout = 'The address of the member who asks.';

/** Events of a window. */
export class EventList {
  @ListOf(
    () => CalendarEvent,
    'Events with an occurrence in the window; cancelled ones are left out.',
    {
      max: eventsMax,
    },
  )
  events!: CalendarEvent[];

  @ListOf(() => Occurrence, 'When they take place, by start.', { max: occurrencesMax })
  occurrences!: Occurrence[];

  @Part(() => EventWindow, 'The window.')
  window!: EventWindow;

  @ListOf(() => ReminderDue, 'Reminders that are due, of occurrences that have not ended.', {
    max: eventsMax,
  })
  remindersDue!: ReminderDue[];

  @Flag('Whether there is more in the window than this.')
  truncated!: boolean;

  @Email(meAbout)
  me!: string;
}

/** One event. */
export class EventAnswer extends AnswerOf('event', () => CalendarEvent, 'The event.') {}

/** One event, with who asks. */
export class EventRead extends EventAnswer {
  @Email(meAbout)
  me!: string;
}

/** Input of reading one. */
export class GetEvent extends IdOf('evt', 'The event.') {}

/** Answer of removal. */
export class EventRemoved extends Done {
  @Id('evt', 'The event.')
  id!: string;
}

const windowFaults = ({ from, to }: ListCalendarEvents): readonly Violation[] =>
  from === undefined || to === undefined || from <= to
    ? []
    : [
        {
          field: 'to',
          fault: 'TOO_SMALL',
          message: { fr: 'pas avant from', en: 'not before from' },
        },
      ];

/** Events of calendars (public-api.md §4). */
export const calendarEvents = family(
  'scheduling',
  'calendarEvents',
  {
    list: operation({
      http: 'GET /v1/calendar-events',
      scope: 'read:calendar',
      member: true,
      summary: 'List the events of a window, and when they take place',
      description: 'At most 1,000 events and 5,000 occurrences: narrow the window for more.',
      input: ListCalendarEvents,
      output: EventList,
      rule: windowFaults,
      problems: ['FORBIDDEN', 'CALENDAR_NOT_FOUND'],
    }),
    get: operation({
      http: 'GET /v1/calendar-events/:id',
      scope: 'read:calendar',
      member: true,
      summary: 'Read an event',
      input: GetEvent,
      output: EventRead,
      problems: ['FORBIDDEN', 'EVENT_NOT_FOUND'],
    }),
    create: operation({
      http: 'POST /v1/calendar-events',
      scope: 'write:calendar',
      member: true,
      success: 201,
      summary: 'Create an event; nobody is sent mail',
      input: CreateEvent,
      output: EventAnswer,
      rule: (input: CreateEvent) => eventFaults(input),
      unknownFields: 'ignore',
      emits: ['calendar_event.created'],
      problems: [
        'TITLE_REQUIRED',
        'INVALID_DATES',
        'END_BEFORE_START',
        'DURATION_TOO_LONG',
        'INVALID_CONFERENCE_LINK',
        'FORBIDDEN',
        'CALENDAR_NOT_FOUND',
        'QUOTA_EXCEEDED',
      ],
    }),
    update: operation({
      http: 'PATCH /v1/calendar-events/:id',
      scope: 'write:calendar',
      member: true,
      summary: 'Change an event, one of its occurrences, or all from one on',
      description: `What is absent stays, null clears; nobody is sent mail. With \`occurrenceStartMs\` one
occurrence is changed, or, with \`scope: following\`, the series is split there and the answer is the new
series.`,
      input: UpdateEvent,
      output: EventAnswer,
      rule: changeFaults,
      unknownFields: 'ignore',
      emits: ['calendar_event.created', 'calendar_event.updated', 'calendar_event.rsvp_changed'],
      problems: [
        'TITLE_REQUIRED',
        'INVALID_DATES',
        'END_BEFORE_START',
        'DURATION_TOO_LONG',
        'INVALID_CONFERENCE_LINK',
        'FORBIDDEN',
        'EVENT_NOT_FOUND',
        'QUOTA_EXCEEDED',
      ],
    }),
    remove: operation({
      http: 'DELETE /v1/calendar-events/:id',
      scope: 'write:calendar',
      member: true,
      summary: 'Delete an event, or cancel one of its occurrences, or all from one on',
      input: RemoveEvent,
      output: EventRemoved,
      emits: ['calendar_event.updated', 'calendar_event.deleted'],
      problems: ['FORBIDDEN', 'EVENT_NOT_FOUND'],
    }),
  },
  { codes: 'calendar' },
);
