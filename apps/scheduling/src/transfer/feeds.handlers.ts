import { createHash, randomBytes } from 'node:crypto';
import { feedSteps, Problem } from '@postroom/contracts';
import { handlers, type Changing, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { StoredEvent } from '../events/index.js';
import { memberBehind } from '../me.js';
import { holdCalendar } from '../stored-calendars.js';
import { exportEvents } from './transfer.handlers.js';

/** Secret addresses of calendars; the gateway knows the rest of an address. */
export const FeedStepsHandlers = handlers(feedSteps, {
  make: async (context, { calendarId }) => {
    await holdCalendar(context, memberBehind(context.caller), calendarId);
    return { secret: await makeFeed(context, calendarId) };
  },

  revoke: async (context, { calendarId }) => {
    await holdCalendar(context, memberBehind(context.caller), calendarId);
    await removeFeed(context, calendarId);
    return { ok: true };
  },

  read: async (context, { secret, after }) => {
    const { calendarId, ownerId } = await calendarOfFeed(context, secret);
    return { ...(await exportEvents(context, calendarId, after, shownInFeeds)), ownerId };
  },
});

/** An event as a feed shows it: of a private one when it is, and no more. */
function shownInFeeds(event: StoredEvent): StoredEvent {
  if (event.visibility !== 'private') return event;
  const overrides = event.overrides.map(
    ({
      title: _,
      description: __,
      location: ___,
      attendees: ____,
      conferenceLink: _____,
      ...one
    }) => one,
  );
  const hidden = { description: '', location: '', organizer: null, attendees: [] };
  return { ...event, ...hidden, title: 'Busy', reminders: [], conferenceLink: null, overrides };
}

const put = statement<object>(
  'feeds.put',
  `INSERT INTO calendar_feeds (tenant_id, calendar_id, secret_hash, created_at) VALUES ($1, $2, $3, $4)
   ON CONFLICT (tenant_id, calendar_id) DO UPDATE SET secret_hash = $3, created_at = $4`,
);

const remove = statement<object>(
  'feeds.remove',
  'DELETE FROM calendar_feeds WHERE tenant_id = $1 AND calendar_id = $2',
);

/** A calendar that a secret shows. */
interface ShownCalendar {
  readonly calendarId: string;
  /** The member whose own it is; null of a calendar of the workspace. */
  readonly ownerId: string | null;
}

const find = statement<ShownCalendar>(
  'feeds.find',
  `SELECT f.calendar_id AS "calendarId",
     CASE f.scope WHEN 'personal' THEN f.owner_id END AS "ownerId"
   FROM find_feed_calendar($1, $2) f`,
);

const hashed = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** Gives a calendar a new secret; the one before it shows nothing any more. */
async function makeFeed(
  { rows, at }: Pick<Changing, 'rows' | 'at'>,
  calendarId: string,
): Promise<string> {
  const secret = randomBytes(32).toString('base64url');
  await rows(put, [calendarId, hashed(secret), at]);
  return secret;
}

async function removeFeed({ rows }: Pick<Changing, 'rows'>, id: string): Promise<void> {
  await rows(remove, [id]);
}

/** The calendar that a secret shows. @throws Problem CALENDAR_NOT_FOUND */
async function calendarOfFeed(
  { rows }: Pick<Reading, 'rows'>,
  secret: string,
): Promise<ShownCalendar> {
  const [found] = await rows(find, [hashed(secret)]);
  if (!found) throw new Problem('CALENDAR_NOT_FOUND');
  return found;
}
