import type { CalendarEvent, EventAnswer, GivenRecurrence } from '@postroom/contracts';
import { Temporal } from 'temporal-polyfill';
import { api } from '../api/api.js';
import type { Happening } from './event-query.js';
import { givenRule, movedRule, ruleValueOf } from './repetition/rule-value.js';
import type { Scope } from './scope-dialog.js';
import { wallOf, zonedOf } from './zoned.js';

export interface Times {
  readonly startMs: number;
  readonly endMs: number;
  readonly allDay: boolean;
}

/**
 * Moves an event, or those of a series that the member chose.
 * @returns the way back; null where a part of a series has times of its own, which would be lost on it
 */
export async function moveEvent(
  happening: Happening,
  to: Times,
  scope: Scope | null,
): Promise<(() => Promise<unknown>) | null> {
  const { id, allDay } = happening.event;
  if (scope === null || scope === 'this') {
    const { event } = await storeMove(happening, to, scope);
    const { startMs, endMs } = happening;
    return () => storeMove({ ...happening, event }, { startMs, endMs, allDay }, scope);
  }
  const { event: before } = await api.get<EventAnswer>(pathOf(id));
  const { event: moved } = await storeMove(happening, to, scope);
  if (moved.id === id) return () => restoreSeries(before, moved);
  return moved.overrides.length > 0 ? null : () => joinSeries(before, moved);
}

const pathOf = (id: string): string => `/v1/calendar-events/${id}`;

const restoreSeries = (before: CalendarEvent, { id, version }: CalendarEvent): Promise<unknown> => {
  const { startMs, endMs, allDay } = before;
  const times = { startMs, endMs, allDay, recurrence: recurrenceOf(before) };
  return api.patch(pathOf(id), times, { ifMatch: version });
};

/** Puts together again what was split. */
async function joinSeries(before: CalendarEvent, part: CalendarEvent): Promise<void> {
  await api.patch(pathOf(before.id), { recurrence: recurrenceOf(before) });
  await api.delete(pathOf(part.id), { ifMatch: part.version });
}

/** The rule of an event as the API takes it. */
export const recurrenceOf = ({ recurrence }: CalendarEvent): GivenRecurrence | null =>
  recurrence && givenRule(ruleValueOf(recurrence), recurrence.timeZone);

async function storeMove(
  happening: Happening,
  to: Times,
  scope: Scope | null,
): Promise<EventAnswer> {
  const { event, occurrenceStartMs } = happening;
  const store = (changes: object): Promise<EventAnswer> =>
    api.patch<EventAnswer>(pathOf(event.id), changes, { ifMatch: event.version });
  if (scope === null) return store(to);
  if (scope === 'this') return store({ ...to, occurrenceStartMs, scope });
  const rule = ruleAfter(event, happening.startMs, to.startMs);
  if (scope === 'all') return store({ ...seriesTimes(happening, to), ...rule });
  if (!rule || event.recurrence?.count === null)
    return store({ ...to, ...rule, occurrenceStartMs, scope });
  // The server knows how many are left of those that were counted.
  const { event: part } = await store({ occurrenceStartMs, scope });
  return storeMove({ ...happening, event: part }, to, 'all');
}

/** The times of a whole series when one of its occurrences goes elsewhere: by the clocks of its zone. */
export function seriesTimes({ event, startMs, occurrenceStartMs }: Happening, to: Times): Times {
  const zone = event.timeZone;
  const first = zonedOf(firstStart(event, startMs, occurrenceStartMs), zone).toPlainDateTime();
  const by = zonedOf(startMs, zone)
    .toPlainDateTime()
    .until(zonedOf(to.startMs, zone).toPlainDateTime());
  const start = first.add(by).toZonedDateTime(zone);
  const lasts = zonedOf(to.startMs, zone)
    .toPlainDateTime()
    .until(zonedOf(to.endMs, zone).toPlainDateTime());
  const end = start.toPlainDateTime().add(lasts).toZonedDateTime(zone);
  return {
    ...{ startMs: start.epochMilliseconds, endMs: end.epochMilliseconds },
    allDay: to.allDay,
  };
}

/** The start of the series: an occurrence that has times of its own hides it. */
const firstStart = (event: CalendarEvent, startMs: number, occurrenceStartMs: number): number =>
  event.startMs === startMs && startMs !== occurrenceStartMs ? occurrenceStartMs : event.startMs;

function ruleAfter(event: CalendarEvent, fromMs: number, toMs: number): object | null {
  const zone = event.timeZone;
  const rule = ruleValueOf(event.recurrence);
  const [from, to] = [wallOf(fromMs, zone).date, wallOf(toMs, zone).date];
  if (!rule || from === to) return null;
  return { recurrence: givenRule(movedRule(rule, from, to), event.recurrence?.timeZone ?? zone) };
}

/** The times to which a grid in some zone has moved an event; whole days are those of the event's own zone. */
export function droppedTimes(
  at: { readonly startStr: string; readonly endStr: string; readonly allDay: boolean },
  { event, startMs, endMs }: Happening,
  gridZone: string,
): Times {
  const zone = at.allDay ? event.timeZone : gridZone;
  const start = momentOf(at.startStr, zone);
  const lasts = at.allDay === event.allDay ? endMs - startMs : at.allDay ? 86_400_000 : 3_600_000;
  return {
    ...{ startMs: start, allDay: at.allDay },
    endMs: at.endStr === '' ? start + lasts : momentOf(at.endStr, zone),
  };
}

/** `2027-03-28`, `2027-03-28T09:00:00` by the clocks of the zone, or with an offset of its own. */
export function momentOf(text: string, zone: string): number {
  if (/(Z|[+-]\d\d:\d\d)$/.test(text)) return Date.parse(text);
  return Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochMilliseconds;
}
