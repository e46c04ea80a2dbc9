import type { CalendarEvent, EventList, Occurrence } from '@postroom/contracts';
import { keepPreviousData, queryOptions, useQueryClient } from '@tanstack/react-query';
import { accountQuery } from '../api/account.js';
import { api } from '../api/api.js';
import { useStreamEvents } from '../stream/stream.js';

/** The events of a window, with the times at which they take place: the server expands the rules. */
export const eventsQuery = (from: number, to: number) =>
  queryOptions({
    queryKey: ['events', from, to] as const,
    queryFn: ({ signal }) => api.get<EventList>('/v1/calendar-events', { from, to }, signal),
    placeholderData: keepPreviousData,
  });

/** Reads what is shown again on an event of the calendar. */
export function useEventsLive(): void {
  const client = useQueryClient();
  useStreamEvents(({ type }) => {
    if (!/^(event\.|reset$)/.test(type)) return;
    void client.invalidateQueries({ queryKey: ['events'] });
    if (type === 'event.deleted')
      void client.invalidateQueries({ queryKey: accountQuery.queryKey });
  });
}

/** One time at which an event takes place, as it is at that time. */
export interface Happening {
  readonly event: CalendarEvent;
  readonly occurrenceStartMs: number;
  readonly startMs: number;
  readonly endMs: number;
}

/** The event as it is at one of its times: occurrences may differ from their series. */
export function happeningOf(event: CalendarEvent, occurrence: Occurrence): Happening {
  const { occurrenceStartMs, startMs, endMs } = occurrence;
  const own = event.overrides.find((one) => one.occurrenceStartMs === occurrenceStartMs) ?? {};
  return { event: { ...event, ...own }, occurrenceStartMs, startMs, endMs };
}

export function happeningsOf({ events, occurrences }: EventList): readonly Happening[] {
  const byId = new Map(events.map((event) => [event.id, event]));
  return occurrences.flatMap((occurrence) => {
    const event = byId.get(occurrence.eventId);
    return event ? [happeningOf(event, occurrence)] : [];
  });
}
