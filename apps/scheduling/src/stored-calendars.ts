import {
  newId,
  Problem,
  type Calendar,
  type CalendarCreated,
  type CalendarScope,
} from '@postroom/contracts';
import type { Changing, Reading } from '@postroom/operations';
import { instant, statement } from '@postroom/persistence';
import type { Member } from './me.js';

type Rows = Pick<Reading, 'rows'>;

/** A calendar, and what the member who asks may do with it. */
export interface FoundCalendar {
  readonly id: string;
  readonly scope: CalendarScope;
  readonly owner_id: string;
}

const columns = (of: string): string => `
  ${of}.id, ${of}.name, ${of}.color, ${of}.scope, ${of}.owner_email AS "ownerUid",
  ${instant(`${of}.created_at`)} AS "createdAt"`;

const list = statement<Calendar>(
  'calendars.list',
  `SELECT ${columns('c')} FROM list_calendars($1, $2, $3) c`,
);

const find = statement<FoundCalendar>(
  'calendars.find',
  'SELECT c.id, c.scope, c.owner_id FROM find_calendar($1, $2) c',
);

const lock = statement<FoundCalendar>(
  'calendars.lock',
  `SELECT c.id, c.scope, c.owner_id FROM calendars c
   WHERE c.tenant_id = $1 AND c.id = $2 FOR KEY SHARE`,
);

const lockAlone = statement<FoundCalendar>(
  'calendars.lock_alone',
  `SELECT c.id, c.scope, c.owner_id FROM calendars c
   WHERE c.tenant_id = $1 AND c.id = $2 FOR UPDATE`,
);

const show = statement<Calendar>(
  'calendars.show',
  `SELECT ${columns('c')} FROM calendars c WHERE c.tenant_id = $1 AND c.id = $2`,
);

const insert = statement<object>(
  'calendars.insert',
  `WITH told AS (
     INSERT INTO outbox (tenant_id, event_id, type, resource, sequence, envelope)
     VALUES ($1, $9, 'calendar.created', $2, 1, $10)
   )
   INSERT INTO calendars (tenant_id, id, name, color, scope, owner_id, owner_email, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

const count = statement<{ visible: number }>(
  'calendars.count',
  `SELECT count(*)::int AS visible FROM calendars c
   WHERE c.tenant_id = $1 AND (c.scope = 'shared' OR c.owner_id = $2)`,
);

const remove = statement<object>(
  'calendars.remove',
  `WITH gone AS (DELETE FROM calendars WHERE tenant_id = $1 AND id = $2 RETURNING *)
   INSERT INTO deleted_calendars (tenant_id, id, scope, owner_id, deleted_at)
   SELECT tenant_id, id, scope, owner_id, $3::timestamptz FROM gone`,
);

/** Every minute: see `MaintenanceJob`. */
export const purgeDeletedCalendars = statement<{ purged: string }>(
  'calendars.purge_deleted',
  'SELECT purge_deleted_calendars() AS purged',
);

/** Calendars of the workspace, and the member's own. */
export const listCalendars = ({ rows }: Rows, member: Member, max: number): Promise<Calendar[]> =>
  rows(list, [member.id, max]);

/** A personal calendar is its owner's alone. */
export const isVisible = ({ scope, owner_id: ownerId }: FoundCalendar, { id }: Member): boolean =>
  scope === 'shared' || ownerId === id;

/** @throws Problem CALENDAR_NOT_FOUND; FORBIDDEN where the member may not see it */
export async function requireCalendar({ rows }: Rows, member: Member, id: string): Promise<void> {
  admitted((await rows(find, [id]))[0], member);
}

/** In a transaction, which a removal of the calendar waits for. @throws Problem as {@link requireCalendar} */
export async function holdCalendar({ rows }: Rows, member: Member, id: string): Promise<void> {
  admitted((await rows(lock, [id]))[0], member);
}

/** For its removal. @throws Problem CALENDAR_NOT_FOUND; FORBIDDEN for who may not delete it */
export async function lockCalendar({ rows }: Rows, member: Member, id: string): Promise<void> {
  const found = admitted((await rows(lockAlone, [id]))[0], member);
  if (found.scope === 'shared' && !member.isAdmin) throw new Problem('FORBIDDEN');
}

function admitted(found: FoundCalendar | undefined, member: Member): FoundCalendar {
  if (!found) throw new Problem('CALENDAR_NOT_FOUND');
  if (!isVisible(found, member)) throw new Problem('FORBIDDEN');
  return found;
}

/** Stores a calendar, and publishes who may see it to the services that show its content. */
export async function insertCalendar(
  { rows, at }: Pick<Changing, 'rows' | 'at'>,
  { id: ownerId, email }: Member,
  { id, name, color, scope }: Pick<Calendar, 'id' | 'name' | 'color' | 'scope'>,
): Promise<void> {
  const told: CalendarCreated = { calendar: { id, isShared: scope === 'shared', ownerId } };
  const event = [newId('evn'), JSON.stringify(told)];
  await rows(insert, [id, name, color, scope, ownerId, email, at, ...event]);
}

/** Number of calendars that a member sees. */
export async function countCalendars({ rows }: Rows, member: Member): Promise<number> {
  return (await rows(count, [member.id]))[0]?.visible ?? 0;
}

/** In a transaction; null when there is none. */
export async function findCalendar({ rows }: Rows, id: string): Promise<Calendar | null> {
  return (await rows(show, [id]))[0] ?? null;
}

/** Removes a calendar, and keeps who might see it: the feed still has its events (`docs/architecture.md`, An event is delivered). */
export async function removeCalendar(
  { rows, at }: Pick<Changing, 'rows' | 'at'>,
  id: string,
): Promise<void> {
  await rows(remove, [id, at]);
}
