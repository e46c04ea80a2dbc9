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
import { occurrencesOf, remindersOf, type SpannedEvent } from './occurrences.js';
import { candidatesMax, listEvents } from './stored-events.js';

const dayMs = 86_400_000;

/** What there is in a window, and the reminders that are due. */
export async function readWindow(context: Reading, input: ListCalendarEvents): Promise<EventList> {
  const now = Date.now();
  const { from: fromMs = now - 30 * dayMs, to: toMs = now + 60 * dayMs, calendarId = null } = input;
  const member = memberBehind(context.caller);
  if (calendarId !== null) await requireCalendar(context, member, calendarId);
  const query = { calendarId, max: candidatesMax + 1 };
  const soonMs = now + 366 * dayMs;
  const [found, reminding] = await Promise.all([
    listEvents(context, member, { ...query, fromMs, toMs, reminding: false }),
    listEvents(context, member, { ...query, fromMs: now, toMs: soonMs, reminding: true }),
  ]);
  const { here, first: all } = expanded(found, { fromMs, toMs });
  const due = reminding.flatMap((event) => remindersOf(event, now));
  due.sort((one, other) => one.dueMs - other.dueMs);
  return {
    events: here.slice(0, eventsMax).map(eventView),
    occurrences: all.slice(0, occurrencesMax),
    window: { fromMs, toMs },
    remindersDue: due.slice(0, eventsMax),
    truncated:
      found.length > candidatesMax || here.length > eventsMax || all.length > occurrencesMax,
    me: member.email,
  };
}

/**
 * The events that take place in a window, and at least one more of its first occurrences than are shown. An
 * event is expanded no further than what the events before it have filled: a thousand series in a window of a
 * century would take minutes.
 */
function expanded(
  found: readonly SpannedEvent[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): { readonly here: readonly SpannedEvent[]; readonly first: readonly Occurrence[] } {
  const max = occurrencesMax + 1;
  const here: SpannedEvent[] = [];
  let first: Occurrence[] = [];
  let filledMs = toMs;
  for (const event of found) {
    const occurrences = occurrencesOf(event, { fromMs, toMs: filledMs, max });
    const isHere =
      occurrences.length > 0 ||
      (filledMs < toMs && occurrencesOf(event, { fromMs, toMs, max: 1 }).length > 0);
    if (isHere) here.push(event);
    first.push(...occurrences);
    if (first.length < 2 * max) continue;
    first = first.sort(byStart).slice(0, max);
    filledMs = first.at(-1)?.startMs ?? toMs;
  }
  return { here, first: first.sort(byStart) };
}

const byStart = (one: Occurrence, other: Occurrence): number =>
  one.startMs - other.startMs || (one.eventId < other.eventId ? -1 : 1);
