import type { CalendarPart } from '@postroom/contracts';
import type { Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { listEventsAfter } from '../events/index.js';
import { writeEvent } from './write-event.js';
import { writeZone } from './write-zone.js';

/** Events of a part of an export. */
const partSize = 500;

const zones = statement<{ zone: string; first_ms: string }>(
  'calendars.zones',
  'SELECT z.zone, z.first_ms FROM zones_of_calendar($1, $2) z',
);

/** The events of a calendar after a place in the order of their ids, as a part of a calendar file. */
export async function exportEvents(
  context: Pick<Reading, 'rows'>,
  calendarId: string,
  after: string,
): Promise<CalendarPart> {
  const events = await listEventsAfter(context, calendarId, after, partSize);
  const next = events.length === partSize ? (events.at(-1)?.id ?? null) : null;
  const texts = [
    ...(after === '' ? [head, ...(await zonesOf(context, calendarId))] : []),
    ...events.map(writeEvent),
    ...(next === null ? [end] : []),
  ];
  return { lines: texts.join(''), after: next, mediaType: 'text/calendar; charset=utf-8' };
}

const head = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Postroom//Calendar//EN\r\n';
const end = 'END:VCALENDAR\r\n';

async function zonesOf({ rows }: Pick<Reading, 'rows'>, calendarId: string): Promise<string[]> {
  const found = await rows(zones, [calendarId]);
  return found
    .filter(({ zone }) => zone !== 'UTC')
    .map(({ zone, first_ms: firstMs }) => writeZone(zone, Number(firstMs)));
}
