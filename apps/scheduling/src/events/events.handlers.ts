import { actorOf } from '@postroom/access';
import {
  calendarEvents,
  invalidField,
  type CalendarEvent,
  type RemoveEvent,
  type UpdateEvent,
} from '@postroom/contracts';
import { handlers, requireVersion, type ReadTarget, type Writing } from '@postroom/operations';
import { holdCalendar } from '../stored-calendars.js';
import { SchedulingConfig } from '../config.js';
import { memberBehind } from '../me.js';
import type { AskedSeries } from '../recurrence/index.js';
import { changedSeries } from './changed-series.js';
import { addEvent, deleteEvent, rewriteEvent } from './event-changes.js';
import { readWindow } from './event-list.js';
import { Windows } from './windows.js';
import { emptyEvent, withGiven, type EventRecord } from './event-record.js';
import { eventView } from './event.view.js';
import { Expansion } from './expansion.js';
import type { SpannedEvent } from './occurrences.js';
import { requireOccurrence, splitAt, withoutOccurrence, withOverride } from './series.js';
import { findEvent, lockEvent, readEvent } from './stored-events.js';

const eventTarget: ReadTarget = async (context, id) => {
  const event = await findEvent(context, id);
  if (!event) return null;
  const { version, title, calendarId } = event;
  const within = { type: 'calendar', id: calendarId } as const;
  return { type: 'calendar_event', id, version, title, view: eventView(event), within };
};

/** Events of the calendars that the caller's member may see. */
export const EventsHandlers = handlers(
  calendarEvents,
  [SchedulingConfig, Expansion, Windows],
  ({ quotaEvents }, expansion, windows) => ({
    list: (context, input) => windows.of(context, () => readWindow(context, input, expansion)),

    get: async (context, { id }) => {
      const member = memberBehind(context.caller);
      return { event: eventView(await readEvent(context, member, id)), me: member.email };
    },

    create: {
      prepare: async ({ tenantId }, { calendarId, ...given }) => {
        const asked = expansion.asked(tenantId);
        return async (context) => {
          const record = withGiven(emptyEvent, given);
          await holdCalendar(context, memberBehind(context.caller), calendarId);
          const origin = { createdBy: actorOf(context.caller), asked };
          const event = await addEvent(context, calendarId, record, origin, quotaEvents);
          context.subject(event.id);
          return { event: eventView(event) };
        };
      },
    },

    update: {
      prepare: async ({ tenantId }, input) => {
        const asked = expansion.asked(tenantId);
        return async (context) => {
          const before = await lockEvent(context, memberBehind(context.caller), input.id);
          requireVersion(before, input.ifMatch);
          context.allowUnknown('threadId', [before.threadId]);
          return { event: await changed({ ...context, asked }, before, input, quotaEvents) };
        };
      },
    },

    remove: {
      prepare: async ({ tenantId }, input) => {
        const asked = expansion.asked(tenantId);
        return async (context) => {
          const event = await lockEvent(context, memberBehind(context.caller), input.id);
          requireVersion(event, input.ifMatch);
          await removed({ ...context, asked }, event, input);
          return { ok: true, id: input.id };
        };
      },
    },
  }),
  { target: eventTarget },
);

/** Answers about series, for the request. */
interface WithSeries {
  readonly asked: AskedSeries;
}

/** Changes a whole event, one occurrence of it, or all from one on. */
async function changed(
  context: Writing<typeof calendarEvents.update> & WithSeries,
  before: SpannedEvent,
  { occurrenceStartMs, scope, calendarId, ...given }: UpdateEvent,
  limit: number,
): Promise<CalendarEvent> {
  const { asked } = context;
  if (calendarId !== undefined && calendarId !== before.calendarId) throw staysInCalendar;
  const rewritten = async (record: Partial<EventRecord>): Promise<CalendarEvent> =>
    eventView(await rewriteEvent(context, before, record, asked, context.emit));
  if (occurrenceStartMs === undefined) {
    requireWhole(scope);
    return rewritten(changedSeries(before, given, asked));
  }
  const series = requireOccurrence(before, occurrenceStartMs, asked);
  if (scope === 'this') return rewritten(withOverride(series, occurrenceStartMs, given));
  const split = splitAt(series, occurrenceStartMs, asked);
  const record = changedSeries(split.from, given, asked);
  if (!split.before) return rewritten(record);
  await rewriteEvent(context, before, split.before, asked);
  const origin = { createdBy: actorOf(context.caller), asked };
  return eventView(await addEvent(context, before.calendarId, record, origin, limit));
}

/** Deletes a whole event, one occurrence of it, or all from one on. */
async function removed(
  context: Writing<typeof calendarEvents.remove> & WithSeries,
  event: SpannedEvent,
  { occurrenceStartMs, scope }: RemoveEvent,
): Promise<void> {
  const { asked } = context;
  if (occurrenceStartMs === undefined) {
    requireWhole(scope);
    return deleteEvent(context, event);
  }
  const series = requireOccurrence(event, occurrenceStartMs, asked);
  const rest =
    scope === 'this'
      ? withoutOccurrence(series, occurrenceStartMs)
      : splitAt(series, occurrenceStartMs, asked).before;
  if (!rest) return deleteEvent(context, event);
  await rewriteEvent(context, event, rest, asked);
}

const staysInCalendar = invalidField(
  'calendarId',
  'un événement reste dans son agenda',
  'an event stays in its calendar',
);

/** @throws Problem INVALID_REQUEST for a scope that no occurrence is named for */
function requireWhole(scope: 'this' | 'following'): void {
  if (scope === 'this') return;
  const fr = 'attendu avec scope=following';
  throw invalidField('occurrenceStartMs', fr, 'expected with scope=following');
}
