import { calendarTransfer, eventImportSteps, feedSteps } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { holdCalendar, requireCalendar } from '../calendar-access/index.js';
import { SchedulingConfig } from '../config.js';
import { Expansion } from '../events/index.js';
import { memberBehind } from '../me.js';
import { exportEvents } from './export-events.js';
import { calendarOfFeed, makeFeed, removeFeed } from './feeds.js';
import { importEvents, readEntries } from './import-events.js';

/** Events out of a calendar; the gateway runs an import itself, since it reads the body. */
export const TransferHandlers = handlers(
  { export: calendarTransfer.export },
  {
    export: async (context, { id, after }) => {
      await requireCalendar(context, memberBehind(context.caller), id);
      return exportEvents(context, id, after);
    },
  },
);

/** Within what a step has. */
const askedMs = 20_000;

/** The steps of an import. */
export const ImportStepsHandlers = handlers(
  eventImportSteps,
  [SchedulingConfig, Expansion],
  ({ quotaEvents: limit }, expansion) => ({
    take: {
      prepare: async ({ tenantId }, input) => {
        const asked = expansion.asked(tenantId, askedMs);
        const entries = readEntries(input);
        const { calendarId, first } = input;
        return (context) => importEvents(context, entries, { calendarId, first, asked, limit });
      },
    },
  }),
);

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
    return { ...(await exportEvents(context, calendarId, after)), ownerId };
  },
});
