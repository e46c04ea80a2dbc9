import { Done } from '../answers.js';
import { Id, Text } from '../fields/index.js';
import { IdOf } from '../inputs.js';
import { family, operation } from '../operation.js';
import { CalendarPart, reachable } from './transfer.js';

/** Input of making a feed. */
export class MakeCalendarFeed extends IdOf('cal', 'The calendar.') {}

/** The address of a feed. */
export class CalendarFeedMade {
  @Text('Whoever knows it reads the calendar, without a key. It is shown this once.', { max: 2000 })
  url!: string;
}

/** Input of revoking a feed. */
export class RevokeCalendarFeed extends IdOf('cal', 'The calendar.') {}

/** Secret addresses that show a calendar to calendar programs (`decisions.md` §9). */
export const calendarFeeds = family(
  'access',
  'calendarFeeds',
  {
    make: operation({
      http: 'POST /calendars/:id/feed',
      effect: 'write',
      success: 201,
      confidential: true,
      summary: 'Make a secret address under which a calendar is read; the one before it ends',
      input: MakeCalendarFeed,
      output: CalendarFeedMade,
      problems: reachable,
    }),
    revoke: operation({
      http: 'DELETE /calendars/:id/feed',
      effect: 'destroy',
      summary: 'Revoke the secret address of a calendar',
      input: RevokeCalendarFeed,
      output: Done,
      problems: reachable,
    }),
  },
  { audience: 'member' },
);

/** The calendar of a feed; named otherwise than what the gateway was asked, whose turn it would wait for. */
export class FeedOfCalendar {
  @Id('cal', 'The calendar.')
  calendarId!: string;
}

/** The secret part of a feed's address. */
export class FeedSecret {
  @Text('The secret.', { max: 100 })
  secret!: string;
}

/** Which part of a feed is asked for. */
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

/** What the gateway asks of scheduling for feeds, and for whoever has the address of one. */
export const feedSteps = family(
  'scheduling',
  'feedSteps',
  {
    make: operation({
      http: 'POST /services/scheduling/feeds',
      effect: 'write',
      confidential: true,
      audit: null,
      summary: 'Make the secret of a calendar’s address',
      input: FeedOfCalendar,
      output: FeedSecret,
      problems: reachable,
    }),
    revoke: operation({
      http: 'DELETE /services/scheduling/feeds',
      effect: 'destroy',
      audit: null,
      summary: 'Revoke the secret of a calendar’s address',
      input: FeedOfCalendar,
      output: Done,
      problems: reachable,
    }),
    read: operation({
      http: 'GET /services/scheduling/feeds',
      effect: 'read',
      confidential: true,
      summary: 'Read a part of the calendar that a secret shows',
      input: ReadCalendarFeed,
      output: FeedPart,
      problems: ['CALENDAR_NOT_FOUND'],
    }),
  },
  { audience: 'service' },
);
