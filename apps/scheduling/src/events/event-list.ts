import {
  eventsMax,
  occurrencesMax,
  type EventList,
  type ListCalendarEvents,
  type Occurrence,
} from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { requireCalendar } from '../calendar-access/index.js';
import { memberBehind } from '../me.js';
import { eventView } from './event.view.js';
import { occurrencesOf, remindersOf } from './occurrences.js';
import { listEvents } from './stored-events.js';

const dayMs = 86_400_000;

/** What there is in a window, and the reminders that are due. */
export async function readWindow(context: Reading, input: ListCalendarEvents): Promise<EventList> {
  const now = Date.now();
  const { from: fromMs = now - 30 * dayMs, to: toMs = now + 60 * dayMs, calendarId = null } = input;
  const member = memberBehind(context.caller);
  if (calendarId !== null) await requireCalendar(context, member, calendarId);
  const query = { calendarId, max: eventsMax + 1 };
  const soonMs = now + 366 * dayMs;
  const [found, reminding] = await Promise.all([
    listEvents(context, member, { ...query, fromMs, toMs, reminding: false }),
    listEvents(context, member, { ...query, fromMs: now, toMs: soonMs, reminding: true }),
  ]);
  const expanded = found.map((event) => ({
    event,
    occurrences: occurrencesOf(event, { fromMs, toMs, max: occurrencesMax + 1 }),
  }));
  const here = expanded.filter(({ occurrences }) => occurrences.length > 0);
  const all = here.flatMap(({ occurrences }) => occurrences).sort(byStart);
  const due = reminding.flatMap((event) => remindersOf(event, now));
  due.sort((one, other) => one.dueMs - other.dueMs);
  return {
    events: here.slice(0, eventsMax).map(({ event }) => eventView(event)),
    occurrences: all.slice(0, occurrencesMax),
    window: { fromMs, toMs },
    remindersDue: due.slice(0, eventsMax),
    truncated: found.length > eventsMax || all.length > occurrencesMax,
    me: member.email,
  };
}

const byStart = (one: Occurrence, other: Occurrence): number =>
  one.startMs - other.startMs || (one.eventId < other.eventId ? -1 : 1);
