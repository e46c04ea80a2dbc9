import { AnswerOf, Done, WholeList } from '../answers.js';
import {
  Count,
  Email,
  HeaderText,
  Id,
  Instant,
  ListOf,
  OneOf,
  Text,
  isSeen,
} from '../fields/index.js';
import { IdOf, Nothing } from '../inputs.js';
import { family, operation } from '../operation.js';

/** Calendars that a member may see, at most. */
export const calendarsMax = 1000;

export const calendarScopes = ['personal', 'shared'] as const;
export type CalendarScope = (typeof calendarScopes)[number];

const nameMax = 80;
const colorMax = 20;

/** A calendar. */
export class Calendar {
  @Id('cal', 'The calendar.')
  id!: string;

  @Text('Name.', { max: nameMax })
  name!: string;

  @Text('Color.', { max: colorMax, nullable: true })
  color!: string | null;

  @OneOf(calendarScopes, 'Its owner’s alone, or the whole workspace’s.')
  scope!: CalendarScope;

  @Email('The member who made it.')
  ownerUid!: string;

  @Instant('Creation.')
  createdAt!: string;
}

/** Input of the list. */
export class ListCalendars extends Nothing {}

/** Calendars that a member may see. */
export class CalendarList extends WholeList {
  @ListOf(() => Calendar, 'Those of the workspace, and the member’s own.', { max: calendarsMax })
  calendars!: Calendar[];

  @Email('The address of the member who asks.')
  me!: string;
}

/** Input of creation. */
export class CreateCalendar {
  @HeaderText('Name.', { max: nameMax, filled: true })
  name!: string;

  @OneOf(calendarScopes, 'One’s own, or, for administrators, the whole workspace’s.', {
    default: 'personal',
  })
  scope!: CalendarScope;

  @HeaderText('Color.', { max: colorMax, optional: true, nullable: true })
  color?: string | null;
}

/** One calendar. */
export class CalendarAnswer extends AnswerOf('calendar', () => Calendar, 'The calendar.') {}

/** Input of removal. */
export class RemoveCalendar extends IdOf('cal', 'The calendar.') {}

/** Answer of removal. */
export class CalendarRemoved extends Done {
  @Count('How many events were deleted with it.', { max: Number.MAX_SAFE_INTEGER })
  deletedEvents!: number;
}

/** Calendars (public-api.md §4). */
export const calendars = family(
  'scheduling',
  'calendars',
  {
    list: operation({
      http: 'GET /v1/calendars',
      scope: 'read:calendar',
      member: true,
      summary: 'List the calendars that the member may see',
      input: ListCalendars,
      output: CalendarList,
    }),
    create: operation({
      http: 'POST /v1/calendars',
      scope: 'write:calendar',
      member: true,
      success: 201,
      summary: 'Create a calendar',
      input: CreateCalendar,
      rule: isSeen('name'),
      output: CalendarAnswer,
      problems: ['CALENDAR_SCOPE_FORBIDDEN', 'TOO_MANY_CALENDARS'],
    }),
    remove: operation({
      http: 'DELETE /v1/calendars/:id',
      scope: 'write:calendar',
      member: true,
      approval: 'hidden',
      summary: 'Delete a calendar and all its events',
      input: RemoveCalendar,
      output: CalendarRemoved,
      emits: ['calendar_event.deleted'],
      problems: ['FORBIDDEN', 'CALENDAR_NOT_FOUND'],
    }),
  },
  { codes: 'calendar' },
);
