import type { CalendarEvent, EventAnswer } from '@postroom/contracts';
import { api } from '../api/api.js';
import { eventChanges, eventValues, type EventValues, type Planned } from './event-values.js';
import type { Happening } from './event-query.js';
import { seriesTimes, type Times } from './moving.js';
import type { Scope } from './scope-dialog.js';

/** Stores what was changed of an event at one of its times: of all of the series, or of a part of it. */
export function storeEvent(
  happening: Happening,
  opened: Planned,
  values: EventValues,
  { changed, scope }: { readonly changed: readonly string[]; readonly scope: Scope | null },
): Promise<EventAnswer> {
  const { event, occurrenceStartMs } = happening;
  const before = eventValues(opened);
  const { recurrence, ...body } = eventChanges(values, changed, before);
  const path = `/v1/calendar-events/${event.id}`;
  const ifMatch = event.version;
  if (scope === 'this')
    return api.patch<EventAnswer>(path, { ...body, occurrenceStartMs, scope }, { ifMatch });
  const whole = { ...body, ...(recurrence !== undefined && { recurrence }) };
  if (scope === 'following')
    return api.patch<EventAnswer>(path, { ...whole, occurrenceStartMs, scope }, { ifMatch });
  const times =
    scope === 'all' && 'startMs' in body ? seriesTimes(happening, body as unknown as Times) : {};
  return api.patch<EventAnswer>(path, { ...whole, ...times }, { ifMatch });
}

/** The same time of an event in another version of it. */
export function atLatest(happening: Happening, latest: CalendarEvent): Happening {
  const { occurrenceStartMs, event } = happening;
  const own = latest.overrides.find((one) => one.occurrenceStartMs === occurrenceStartMs);
  const moved = latest.startMs - event.startMs;
  const startMs = own?.startMs ?? happening.startMs + moved;
  const length = latest.endMs - latest.startMs;
  return {
    ...{ event: { ...latest, ...own, version: latest.version }, occurrenceStartMs, startMs },
    endMs: own?.endMs ?? startMs + length,
  };
}
