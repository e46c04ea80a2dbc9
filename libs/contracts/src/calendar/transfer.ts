import { Done, entryBatchMax, EntryCounts, ImportOutcome } from '../answers.js';
import { Flag, Id, Integers, Text, Texts } from '../fields/index.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';

const many = Number.MAX_SAFE_INTEGER;

/** Media types of an import of events (RFC 5545). */
export const calendarFileTypes = ['text/calendar'] as const;

/** Input of an import; its body is the file itself. */
export class ImportEvents extends IdOf('cal', 'The calendar.') {
  @Flag('Say what would happen, and change nothing.', { default: false })
  dryRun!: boolean;
}

/** Input of an export. */
export class ExportEvents extends IdOf('cal', 'The calendar.') {
  @Text('Events after this one, in the order of their ids.', { max: 30, default: '' })
  after!: string;
}

/** A part of a calendar file. */
export class CalendarPart {
  @Text('Text of the file.', { max: many })
  lines!: string;

  @Text('Where the next part begins; null after the last.', { max: 30, nullable: true })
  after!: string | null;

  @Text('Media type of the file.', { max: 60 })
  mediaType!: string;
}

/** Refusals of what is asked of one calendar. */
export const reachable = ['FORBIDDEN', 'CALENDAR_NOT_FOUND'] as const;

/** Bytes of all the definitions of time zones in a file that are looked at. */
export const zonesBytesMax = 24 * 1024;

/** Input of a step of an import: some of its entries, in their order. */
export class TakeEvents {
  @Id('cal', 'The calendar.')
  calendarId!: string;

  @Texts('The events as base64; `-` for one that was too large, or cut short.', {
    max: entryBatchMax,
    each: 400_000,
  })
  entries!: string[];

  @Integers('The place of each in the file.', { from: 1, to: many, max: entryBatchMax })
  places!: number[];

  @Text('The time zones of the file (X-WR-TIMEZONE, VTIMEZONE), as base64.', {
    max: 2 * zonesBytesMax,
    default: '',
  })
  zones!: string;

  @Text('Zone (IANA) of times without one, where the file names none.', { max: 60, default: 'UTC' })
  timeZone!: string;

  @Flag('Change nothing.', { default: false })
  dryRun!: boolean;
}

/** Requests of the gateway to scheduling while it reads the body of an import. */
export const eventImportSteps = family(
  'scheduling',
  'eventImportSteps',
  {
    take: operation({
      http: 'POST /event-imports',
      summary: 'Take the next entries of an import of events',
      input: TakeEvents,
      output: EntryCounts,
      audit: 'calendarTransfer.import',
      isAudited: ({ places, dryRun }) => !dryRun && places.includes(1),
      emits: ['calendar_event.created', 'calendar_event.updated'],
      problems: [...reachable, 'QUOTA_EXCEEDED'],
      deadlineMs: 30_000,
    }),
  },
  { audience: 'service' },
);

/** Events in and out of a calendar (`decisions.md` §9). */
export const calendarTransfer = family(
  'scheduling',
  'calendarTransfer',
  {
    import: operation({
      http: 'POST /calendars/:id/import',
      summary: 'Import a calendar file into a calendar',
      description: `Streamed, of any length. An event that the calendar has already, by its UID, is overwritten.
A change of one occurrence (RECURRENCE-ID) may stand before its series; without one it becomes an event of its
own. A time without a zone is one of \`X-WR-TIMEZONE\`, else of the workspace’s. What cannot be kept (an alarm
after the start, a text that is too long) is cut or left out, and \`warnings\` tells of it. A dry run judges
entries by hundreds: what an earlier hundred would have created is not known to the next. Nobody is sent mail.`,
      input: ImportEvents,
      output: ImportOutcome,
      request: {
        mediaTypes: calendarFileTypes,
        entries: {
          take: eventImportSteps.take,
          inputOf: ({ id: calendarId, dryRun }, { mediaType: _, header: __, ...batch }) => ({
            ...{ calendarId, dryRun, ...batch },
          }),
        },
      },
      problems: [...reachable, 'TOO_MANY_IMPORTS', 'QUOTA_EXCEEDED'],
    }),
    export: operation({
      http: 'GET /calendars/:id/export',
      summary: 'Export a calendar as a calendar file',
      input: ExportEvents,
      output: CalendarPart,
      answer: 'lines',
      problems: reachable,
    }),
  },
  { audience: 'member' },
);

/** The address of a feed. */
export class CalendarFeedMade {
  @Text('Whoever knows it reads the calendar, without a key. It is shown this once.', { max: 2000 })
  url!: string;
}

/** Secret addresses that show a calendar to calendar programs (`decisions.md` §9). */
export const calendarFeeds = family(
  'access',
  'calendarFeeds',
  {
    make: operation({
      http: 'POST /calendars/:id/feed',
      success: 201,
      confidential: true,
      summary: 'Make a secret address under which a calendar is read; the one before it ends',
      input: IdOf('cal', 'The calendar.'),
      output: CalendarFeedMade,
      problems: reachable,
    }),
    revoke: operation({
      http: 'DELETE /calendars/:id/feed',
      summary: 'Revoke the secret address of a calendar',
      input: IdOf('cal', 'The calendar.'),
      output: Done,
      problems: reachable,
    }),
  },
  { audience: 'member' },
);

/**
 * The calendar of a feed. Its field is not `id`, by which writes are ordered: the write would wait for the
 * gateway's own, within which it is sent.
 */
export class FeedOfCalendar {
  @Id('cal', 'The calendar.')
  calendarId!: string;
}

/** The secret part of a feed's address. */
export class FeedSecret {
  @Text('The secret.', { max: 100 })
  secret!: string;
}

/** The requested part of a feed. */
export class ReadCalendarFeed extends FeedSecret {
  @Text('Events after this one, in the order of their ids.', { max: 30, default: '' })
  after!: string;
}

/** A part of a feed. */
export class FeedPart extends CalendarPart {
  @Id('mbr', 'The member whose calendar it is; null of a calendar of the workspace.', {
    nullable: true,
  })
  ownerId!: string | null;
}

/** Requests of the gateway to scheduling for feeds, and for anonymous readers with the address of one. */
export const feedSteps = family(
  'scheduling',
  'feedSteps',
  {
    make: operation({
      http: 'POST /services/scheduling/feeds',
      confidential: true,
      audit: null,
      summary: 'Make the secret of a calendar’s address',
      input: FeedOfCalendar,
      output: FeedSecret,
      problems: reachable,
    }),
    revoke: operation({
      http: 'DELETE /services/scheduling/feeds',
      audit: null,
      summary: 'Revoke the secret of a calendar’s address',
      input: FeedOfCalendar,
      output: Done,
      problems: reachable,
    }),
    read: operation({
      http: 'GET /services/scheduling/feeds',
      confidential: true,
      summary: 'Read a part of the calendar that a secret shows',
      input: ReadCalendarFeed,
      output: FeedPart,
      problems: ['CALENDAR_NOT_FOUND'],
    }),
  },
  { audience: 'service' },
);
