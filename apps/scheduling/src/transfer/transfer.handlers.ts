import { calendarTransfer, eventImportSteps, type CalendarPart } from '@postroom/contracts';
import { handlers, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { Expansion, listEventsAfter, type StoredEvent } from '../events/index.js';
import { requireCalendar } from '../stored-calendars.js';
import { SchedulingConfig } from '../config.js';
import { memberBehind } from '../me.js';
import { writeEvent } from './write-event.js';
import { writeZone } from './write-zone.js';
import { importEvents } from './import-events.js';
import { readEntries } from './read-entries.js';

/** Events out of a calendar; the gateway runs an import itself, since it reads the body. */
export const ExportHandlers = handlers(
  { export: calendarTransfer.export },
  {
    export: async (context, { id, after }) => {
      await requireCalendar(context, memberBehind(context.caller), id);
      return exportEvents(context, id, after);
    },
  },
);

/** Within what a step has. */
const askedMs = 20_000;

/** The steps of an import. */
export const ImportStepsHandlers = handlers(
  eventImportSteps,
  [SchedulingConfig, Expansion],
  ({ quotaEvents: limit }, expansion) => ({
    take: {
      prepare: async ({ tenantId }, input) => {
        const asked = expansion.asked(tenantId, askedMs);
        const entries = readEntries(input);
        const { calendarId, dryRun } = input;
        return (context) => importEvents(context, entries, { calendarId, asked, limit, dryRun });
      },
    },
  }),
);

/** A part of an export ends at so many events, or with the event that reaches so many bytes. */
const partEvents = 500;
const partBytes = 1024 * 1024;
/** Events that are in memory at a time: each may be half a mebibyte. */
const pageSize = 10;

const zones = statement<{ zone: string; first_ms: string }>(
  'calendars.zones',
  'SELECT z.zone, z.first_ms FROM zones_of_calendar($1, $2) z',
);

/**
 * The events of a calendar after a place in the order of their ids, as a part of a calendar file.
 * @param shown each as the reader may see it
 */
export async function exportEvents(
  context: Pick<Reading, 'rows'>,
  calendarId: string,
  after: string,
  shown: (event: StoredEvent) => StoredEvent = (event) => event,
): Promise<CalendarPart> {
  const texts = after === '' ? [head, ...(await zonesOf(context, calendarId))] : [];
  let [count, bytes, last] = [0, 0, after];
  let next: string | null = null;
  for await (const event of eventsAfter(context, calendarId, after)) {
    if (count === partEvents || bytes >= partBytes) {
      next = last;
      break;
    }
    const text = writeEvent(shown(event));
    texts.push(text);
    [count, bytes, last] = [count + 1, bytes + Buffer.byteLength(text), event.id];
  }
  if (next === null) texts.push(end);
  return { lines: texts.join(''), after: next, mediaType: 'text/calendar; charset=utf-8' };
}

async function* eventsAfter(
  context: Pick<Reading, 'rows'>,
  calendarId: string,
  after: string,
): AsyncGenerator<StoredEvent, void> {
  for (let last: string | undefined = after; last !== undefined;) {
    const page = await listEventsAfter(context, calendarId, last, pageSize);
    yield* page;
    last = page.length === pageSize ? page.at(-1)?.id : undefined;
  }
}

const head = 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Postroom//Calendar//EN\r\n';
const end = 'END:VCALENDAR\r\n';

async function zonesOf({ rows }: Pick<Reading, 'rows'>, calendarId: string): Promise<string[]> {
  const found = await rows(zones, [calendarId]);
  return found
    .filter(({ zone }) => zone !== 'UTC')
    .map(({ zone, first_ms: firstMs }) => writeZone(zone, Number(firstMs)));
}
