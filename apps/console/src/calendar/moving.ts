import type { CalendarEvent, EventAnswer } from '@postroom/contracts';
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

/** Moves an event, or those of a series that the member chose. */
export function moveEvent(
  happening: Happening,
  to: Times,
  scope: Scope | null,
): Promise<EventAnswer> {
  const { event, occurrenceStartMs } = happening;
  const path = `/v1/calendar-events/${event.id}`;
  const ifMatch = event.version;
  if (scope === null) return api.patch<EventAnswer>(path, to, { ifMatch });
  if (scope === 'this')
    return api.patch<EventAnswer>(path, { ...to, occurrenceStartMs, scope }, { ifMatch });
  const rule = ruleAfter(event, happening.startMs, to.startMs);
  if (scope === 'following')
    return api.patch<EventAnswer>(path, { ...to, ...rule, occurrenceStartMs, scope }, { ifMatch });
  return api.patch<EventAnswer>(path, { ...seriesTimes(happening, to), ...rule }, { ifMatch });
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

function ruleAfter(event: CalendarEvent, fromMs: number, toMs: number): object {
  const zone = event.timeZone;
  const rule = ruleValueOf(event.recurrence);
  const [from, to] = [wallOf(fromMs, zone).date, wallOf(toMs, zone).date];
  if (!rule || from === to) return {};
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
