import {
  eventsMax,
  occurrencesMax,
  type EventList,
  type EventWindow,
  type ListCalendarEvents,
} from '@postroom/contracts';
import { workspaceNow, type Reading } from '@postroom/operations';
import { requireCalendar } from '../stored-calendars.js';
import { memberBehind } from '../me.js';
import { eventView } from './event.view.js';
import type { Expansion } from './expansion.js';
import { listEvents } from './stored-events.js';

const dayMs = 86_400_000;
/** Bytes of the events of an answer, and of those whose reminders are looked for. */
const bytesMax = 8 * 1024 * 1024;

/** The window that is asked for. An end that is absent stays on its side of the one that is given. */
function windowOf({ from, to }: ListCalendarEvents, now: number): EventWindow {
  const [past, ahead] = [now - 30 * dayMs, now + 60 * dayMs];
  return {
    fromMs: from ?? (to === undefined || to > past ? past : Math.max(to - 90 * dayMs, 1)),
    toMs: to ?? (from === undefined || from < ahead ? ahead : from + 90 * dayMs),
  };
}

/** The events of a window, and the reminders that are due. */
export async function readWindow(
  context: Reading,
  input: ListCalendarEvents,
  expansion: Expansion,
): Promise<EventList> {
  const now = (await workspaceNow(context)).getTime();
  const { calendarId = null } = input;
  const { fromMs, toMs } = windowOf(input, now);
  const member = memberBehind(context.caller);
  if (calendarId !== null) await requireCalendar(context, member, calendarId);
  const query = { calendarId, bytesMax };
  const soonMs = now + 366 * dayMs;
  const [found, reminding] = await Promise.all([
    listEvents(context, member, { ...query, fromMs, toMs, reminding: false }),
    listEvents(context, member, { ...query, fromMs: now, toMs: soonMs, reminding: true }),
  ]);
  // An event that ends as the window begins, or begins as it ends, is not in it: expansion counts both ends in.
  const window = { fromMs: fromMs + 1, toMs: toMs - 1 };
  const { events: candidates } = found;
  const task = {
    found: candidates,
    reminding: reminding.events,
    ...window,
    nowMs: now,
    shownMax: occurrencesMax,
  };
  const { here, first, due } = await expansion.window(context.tenantId, task);
  const isHere = new Set(here);
  const events = candidates.filter(({ id }) => isHere.has(id));
  return {
    events: events.slice(0, eventsMax).map(eventView),
    occurrences: first.slice(0, occurrencesMax),
    window: { fromMs, toMs },
    remindersDue: due.slice(0, eventsMax),
    truncated: found.isMore || here.length > eventsMax || first.length > occurrencesMax,
    me: member.email,
  };
}
