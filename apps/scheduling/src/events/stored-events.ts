import { Problem, type CalendarScope, type Creator } from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import { isVisible } from '../stored-calendars.js';
import type { Member } from '../me.js';
import { spanOf, type EventRecord, type Span, type StoredEvent } from './event-record.js';
import { storedRule } from '../recurrence/index.js';
import type { SpannedEvent } from './occurrences.js';

/** The column `content`: fields that are read whole and that no query filters by. */
type Content = Omit<EventRecord, 'startMs' | 'endMs' | 'threadId'> & Pick<Span, 'lastStartMs'>;

interface EventRow {
  readonly id: string;
  readonly calendar_id: string;
  readonly uid: string;
  readonly start_ms: string;
  readonly end_ms: string;
  readonly thread_id: string | null;
  readonly content: Content;
  readonly created_by: Creator;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly version: number;
  readonly sequence: string;
}

/** The columns of an event, of a row as SQL. */
const columns = (of: string): string =>
  [
    ...['id', 'calendar_id', 'uid', 'start_ms', 'end_ms', 'thread_id', 'content'],
    ...['created_by', 'created_at', 'updated_at', 'version', 'sequence'],
  ]
    .map((name) => `${of}.${name}`)
    .join(', ');

const storedOf = (row: EventRow): SpannedEvent => ({
  ...row.content,
  recurrence: storedRule(row.content.recurrence),
  visibility: (row.content as Partial<Content>).visibility ?? 'public',
  id: row.id,
  calendarId: row.calendar_id,
  uid: row.uid,
  startMs: Number(row.start_ms),
  endMs: Number(row.end_ms),
  threadId: row.thread_id,
  createdBy: row.created_by,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version,
  sequence: Number(row.sequence),
});

type Rows = Pick<Reading, 'rows'>;
type Placed = EventRow & { readonly scope: CalendarScope; readonly owner_id: string };

const list = statement<EventRow & { readonly bytes: string }>(
  'events.list',
  `SELECT ${columns('(l.event)')}, l.bytes FROM list_events($1, $2, $3, $4, $5, $6, $7, $8) l`,
);

const read = statement<Placed>(
  'events.read',
  `SELECT ${columns('(r.event)')}, r.scope, r.owner_id FROM read_event($1, $2) r`,
);

/** The calendar first, as its removal does, which waits for neither then. */
const lock = statement<Placed>(
  'events.lock',
  `SELECT ${columns('e')}, c.scope, c.owner_id FROM calendar_events e
   JOIN calendars c ON c.tenant_id = e.tenant_id AND c.id = e.calendar_id
   WHERE e.tenant_id = $1 AND e.id = $2 FOR KEY SHARE OF c FOR UPDATE OF e`,
);

const lockUid = statement<EventRow>(
  'events.lock_uid',
  `SELECT ${columns('e')} FROM calendar_events e
   WHERE e.tenant_id = $1 AND e.calendar_id = $2 AND e.uid = $3 FOR UPDATE`,
);

const listAfter = statement<EventRow>(
  'events.list_after',
  `SELECT ${columns('e')} FROM list_events_after($1, $2, $3, $4) e`,
);

const show = statement<EventRow>(
  'events.show',
  `SELECT ${columns('e')} FROM calendar_events e WHERE e.tenant_id = $1 AND e.id = $2`,
);

const readSome = statement<EventRow>(
  'events.read_some',
  `SELECT ${columns('(r.event)')} FROM unnest($2::text[]) one CROSS JOIN LATERAL read_event($1, one) r`,
);

const insert = statement<object>(
  'events.insert',
  `WITH added AS (
     INSERT INTO calendar_events (tenant_id, id, start_ms, end_ms, first_ms, last_ms, has_reminders,
       thread_id, content, updated_at, version, sequence, calendar_id, uid, created_by, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
   )
   INSERT INTO volume_deltas (tenant_id, at, kind) VALUES ($1, $10, 'events.created')`,
);

const change = statement<object>(
  'events.change',
  `UPDATE calendar_events SET start_ms = $3, end_ms = $4, first_ms = $5, last_ms = $6,
     has_reminders = $7, thread_id = $8, content = $9, updated_at = $10, version = $11, sequence = $12
   WHERE tenant_id = $1 AND id = $2`,
);

const remove = statement<object>(
  'events.remove',
  'DELETE FROM calendar_events WHERE tenant_id = $1 AND id = $2',
);

const removeAll = statement<EventRow>(
  'events.remove_all',
  `DELETE FROM calendar_events e WHERE e.tenant_id = $1 AND e.calendar_id = $2
   RETURNING ${columns('e')}`,
);

/**
 * Events that are looked at for a window, at most: that a series has nothing in it is known once it is
 * expanded.
 */
export const candidatesMax = 5_000;

/** The filter of a list of events. */
export interface EventQuery {
  readonly calendarId: string | null;
  readonly fromMs: number;
  readonly toMs: number;
  readonly reminding: boolean;
  /** Bytes of all, as they are stored. */
  readonly bytesMax: number;
}

/** Events that were found, and whether there are more than may be looked at. */
export interface FoundEvents {
  readonly events: readonly SpannedEvent[];
  readonly isMore: boolean;
}

/** Events of calendars that the member may see, with an occurrence that may touch the window. */
export async function listEvents(
  { rows }: Rows,
  member: Member,
  { calendarId, fromMs, toMs, reminding, bytesMax }: EventQuery,
): Promise<FoundEvents> {
  const bounds = [candidatesMax + 1, bytesMax];
  const found = await rows(list, [member.id, calendarId, fromMs, toMs, reminding, ...bounds]);
  const isMore = found.length > candidatesMax || found.some((row) => Number(row.bytes) > bytesMax);
  return { events: found.map(storedOf), isMore };
}

/** @throws Problem EVENT_NOT_FOUND; FORBIDDEN where the member may not see its calendar */
export async function readEvent({ rows }: Rows, member: Member, id: string): Promise<SpannedEvent> {
  return admitted((await rows(read, [id]))[0], member);
}

/** For a change. @throws Problem as {@link readEvent} */
export async function lockEvent({ rows }: Rows, member: Member, id: string): Promise<SpannedEvent> {
  return admitted((await rows(lock, [id]))[0], member);
}

function admitted(found: Placed | undefined, member: Member): SpannedEvent {
  if (!found) throw new Problem('EVENT_NOT_FOUND');
  if (!isVisible({ ...found, id: found.calendar_id }, member)) throw new Problem('FORBIDDEN');
  return storedOf(found);
}

/** Reads and locks the event of a calendar that has this identifier; null when there is none. */
export async function lockEventByUid(
  { rows }: Pick<Changing, 'rows'>,
  calendarId: string,
  uid: string,
): Promise<SpannedEvent | null> {
  const [found] = await rows(lockUid, [calendarId, uid]);
  return found ? storedOf(found) : null;
}

/** Events of a calendar, in the order of their ids. */
export async function listEventsAfter(
  { rows }: Rows,
  calendarId: string,
  afterId: string,
  max: number,
): Promise<readonly SpannedEvent[]> {
  return (await rows(listAfter, [calendarId, afterId, max])).map(storedOf);
}

/** Events by their ids, without a transaction. */
export const readEvents = async (
  { rows }: Rows,
  ids: readonly string[],
): Promise<readonly SpannedEvent[]> => (await rows(readSome, [ids])).map(storedOf);

/** In a transaction; null when there is none. */
export async function findEvent({ rows }: Rows, id: string): Promise<SpannedEvent | null> {
  const [found] = await rows(show, [id]);
  return found ? storedOf(found) : null;
}

export async function insertEvent(
  { rows }: Pick<Changing, 'rows'>,
  event: SpannedEvent,
): Promise<void> {
  const { calendarId, uid, createdBy, createdAt } = event;
  const origin = [calendarId, uid, JSON.stringify(createdBy), createdAt];
  await rows(insert, [event.id, ...valuesOf(event), ...origin]);
}

export async function changeEvent(
  { rows }: Pick<Changing, 'rows'>,
  event: SpannedEvent,
): Promise<void> {
  await rows(change, [event.id, ...valuesOf(event)]);
}

export async function removeEvent({ rows }: Pick<Changing, 'rows'>, id: string): Promise<void> {
  await rows(remove, [id]);
}

/** Removes all events of a locked calendar. */
export async function removeEventsOf(
  { rows }: Pick<Changing, 'rows'>,
  calendarId: string,
): Promise<readonly StoredEvent[]> {
  return (await rows(removeAll, [calendarId])).map(storedOf);
}

function valuesOf(event: SpannedEvent): unknown[] {
  const { firstMs, lastMs, lastStartMs } = spanOf(event);
  const content: Content = {
    ...{ title: event.title, description: event.description, location: event.location },
    ...{ timeZone: event.timeZone, allDay: event.allDay, status: event.status, busy: event.busy },
    ...{ organizer: event.organizer, attendees: event.attendees, recurrence: event.recurrence },
    ...{ overrides: event.overrides, reminders: event.reminders, visibility: event.visibility },
    ...{ conferenceLink: event.conferenceLink, lastStartMs },
  };
  return [
    ...[event.startMs, event.endMs, firstMs, lastMs, event.reminders.length > 0, event.threadId],
    ...[JSON.stringify(content), event.updatedAt, event.version, event.sequence],
  ];
}
