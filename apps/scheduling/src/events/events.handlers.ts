import { actorOf } from '@postroom/access';
import {
  calendarEvents,
  invalidField,
  type CalendarEvent,
  type UpdateEvent,
} from '@postroom/contracts';
import { handlers, requireVersion, type ReadTarget, type Writing } from '@postroom/operations';
import { holdCalendar } from '../calendar-access/index.js';
import { SchedulingConfig } from '../config.js';
import { memberBehind } from '../me.js';
import { addEvent, deleteEvent, rewriteEvent } from './event-changes.js';
import { readWindow } from './event-list.js';
import { emptyEvent, withGiven } from './event-record.js';
import { eventView } from './event.view.js';
import { Expansion } from './expansion.js';
import type { SpannedEvent } from './occurrences.js';
import {
  movedSeries,
  requireOccurrence,
  splitAt,
  withoutOccurrence,
  withOverride,
} from './series.js';
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
  [SchedulingConfig, Expansion],
  ({ quotaEvents }, expansion) => ({
    list: (context, input) => readWindow(context, input, expansion),

    get: async (context, { id }) => {
      const member = memberBehind(context.caller);
      return { event: eventView(await readEvent(context, member, id)), me: member.email };
    },

    create: async (context, { calendarId, ...given }) => {
      const record = withGiven(emptyEvent, given);
      await holdCalendar(context, memberBehind(context.caller), calendarId);
      const origin = { createdBy: actorOf(context.caller) };
      const event = await addEvent(context, calendarId, record, origin, quotaEvents);
      context.subject(event.id);
      return { event: eventView(event) };
    },

    update: async (context, input) => {
      const before = await lockEvent(context, memberBehind(context.caller), input.id);
      requireVersion(before, input.ifMatch);
      return { event: await changed(context, before, input, quotaEvents) };
    },

    remove: async (context, { id, occurrenceStartMs, scope, ifMatch }) => {
      const event = await lockEvent(context, memberBehind(context.caller), id);
      requireVersion(event, ifMatch);
      if (occurrenceStartMs === undefined) {
        requireWhole(scope);
        await deleteEvent(context, event);
        return { ok: true, id };
      }
      const series = requireOccurrence(event, occurrenceStartMs);
      if (scope === 'this') {
        await rewriteEvent(context, event, withoutOccurrence(series, occurrenceStartMs));
        return { ok: true, id };
      }
      const { before } = splitAt(series, occurrenceStartMs);
      if (before) await rewriteEvent(context, event, before);
      else await deleteEvent(context, event);
      return { ok: true, id };
    },
  }),
  { target: eventTarget },
);

/** Changes a whole event, one occurrence of it, or all from one on. */
async function changed(
  context: Writing<typeof calendarEvents.update>,
  before: SpannedEvent,
  { occurrenceStartMs, scope, ...given }: UpdateEvent,
  limit: number,
): Promise<CalendarEvent> {
  if (occurrenceStartMs === undefined) {
    requireWhole(scope);
    return eventView(await rewriteEvent(context, before, movedSeries(before, given), context.emit));
  }
  const series = requireOccurrence(before, occurrenceStartMs);
  if (scope === 'this') {
    const override = withOverride(series, occurrenceStartMs, given);
    return eventView(await rewriteEvent(context, before, override, context.emit));
  }
  const split = splitAt(series, occurrenceStartMs);
  const record = movedSeries(split.from, given);
  if (!split.before) return eventView(await rewriteEvent(context, before, record, context.emit));
  await rewriteEvent(context, before, split.before);
  const origin = { createdBy: actorOf(context.caller) };
  return eventView(await addEvent(context, before.calendarId, record, origin, limit));
}

/** @throws Problem INVALID_REQUEST for a scope that no occurrence is named for */
function requireWhole(scope: 'this' | 'following'): void {
  if (scope === 'this') return;
  const fr = 'attendu avec scope=following';
  throw invalidField('occurrenceStartMs', fr, 'expected with scope=following');
}
