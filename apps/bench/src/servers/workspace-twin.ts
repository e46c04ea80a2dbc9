import {
  momentOf,
  rruleText,
  utcStamp,
  wallClock,
  type Occurrence,
  type RecurrenceRule,
} from '@postroom/contracts';
import { fastify, type FastifyRequest } from 'fastify';
import type pg from 'pg';
import { RRuleTemporal } from 'rrule-temporal';
import { authenticate, instant, listen, poolOf } from './bare.js';
import { serve } from './serve.js';

const book = `
  SELECT contact_count AS total FROM address_books
  WHERE tenant_id = $1 AND id = $2 AND is_shared AND deleted_at IS NULL`;

const contacts = `
  SELECT id, book_id AS "bookId", display_name AS "displayName", given_name AS "givenName",
    family_name AS "familyName", emails, phones, organization, job_title AS "jobTitle", groups, notes, addresses,
    birthday, urls, photo IS NOT NULL AS "hasPhoto", merged_from AS "mergedFrom", author,
    ${instant('created_at')} AS "createdAt", ${instant('updated_at')} AS "updatedAt", version
  FROM contacts WHERE tenant_id = $1 AND book_id = $2
  ORDER BY display_name COLLATE "fr-x-icu", id LIMIT 2000`;

const tasks = `
  SELECT id, title, notes, status, priority, assignee, team_id AS "teamId", due_ms::float8 AS "dueMs",
    time_zone AS "timeZone", thread_id AS "threadId", recurrence, reminders, source, created_by AS "createdBy",
    ${instant('created_at')} AS "createdAt", ${instant('updated_at')} AS "updatedAt",
    ${instant('completed_at')} AS "completedAt", completed_by AS "completedBy", previous_id AS "previousTaskId",
    next_id AS "nextTaskId", version
  FROM tasks WHERE tenant_id = $1 ORDER BY id DESC LIMIT 201`;

const count = 'SELECT count(*)::int AS total FROM tasks WHERE tenant_id = $1';

const series = `
  SELECT id, calendar_id, start_ms::float8 AS start_ms, end_ms::float8 AS end_ms,
    content->'recurrence' AS rule
  FROM calendar_events WHERE tenant_id = $1`;

interface Series {
  readonly id: string;
  readonly calendar_id: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly rule: RecurrenceRule;
}

interface Wall {
  readonly epochMilliseconds: number;
}

const query = async <R extends pg.QueryResultRow>(
  pool: pg.Pool,
  [name, text]: readonly [string, string],
  values: readonly unknown[],
): Promise<R[]> => (await pool.query<R>({ name, text, values: [...values] })).rows;

const dayMs = 86_400_000;

/**
 * The occurrences of a series by the library alone, which reads the rule each time, as it would a row's. It expands it over wall
 * time as if that were UTC, five times as fast as with a zone.
 */
function occurrences(one: Series, fromMs: number, toMs: number): Occurrence[] {
  const { id: eventId, calendar_id: calendarId, rule, start_ms: startMs, end_ms: endMs } = one;
  const { timeZone } = rule;
  const start = utcStamp(wallClock(startMs, timeZone));
  const expanded = new RRuleTemporal({
    rruleString: `DTSTART:${start}\nRRULE:${rruleText(rule)}`,
    includeDtstart: true,
  });
  const starts = expanded.between(new Date(fromMs - dayMs), new Date(toMs + dayMs), true) as Wall[];
  const lastsMs = endMs - startMs;
  return starts
    .map(({ epochMilliseconds }) => momentOf(epochMilliseconds, timeZone))
    .filter((ms) => ms < toMs && ms + lastsMs > fromMs)
    .map((ms) => {
      return { eventId, calendarId, occurrenceStartMs: ms, startMs: ms, endMs: ms + lastsMs };
    });
}

const byStart = (one: Occurrence, other: Occurrence): number =>
  one.startMs - other.startMs || (one.eventId < other.eventId ? -1 : 1);

/** Lists of contacts and tasks written by hand, and windows of series that are in memory: the key is looked up, and nothing else checked. */
serve(async ({ databaseUrls, facts }) => {
  const { tenantId, member } = facts.caller;
  const me = member?.email;
  // One workspace is its session's, so that no query has to say so.
  const place = (schema: string): string =>
    `${schema} -c postroom.tenant=${tenantId} -c search_path=${schema}`;
  const access = poolOf(databaseUrls.access, 'access');
  const directory = poolOf(databaseUrls.directory, place('directory'));
  const scheduling = poolOf(databaseUrls.scheduling, place('scheduling'));
  const known = await query<Series>(scheduling, ['series', series], [tenantId]);
  const app = fastify();
  const keyOf = async (request: FastifyRequest): Promise<{ tenant_id: string }> => {
    const key = await authenticate(access, request);
    if (!key) throw new Error('unknown key');
    return key;
  };
  app.get<{ Querystring: { bookId: string } }>('/public/v1/contacts', async (request) => {
    const asked = [(await keyOf(request)).tenant_id, request.query.bookId];
    const [[{ total } = { total: 0 }], rows] = await Promise.all([
      query<{ total: number }>(directory, ['book', book], asked),
      query(directory, ['contacts', contacts], asked),
    ]);
    return { contacts: rows, total, truncated: total > rows.length };
  });
  app.get('/public/v1/tasks', async (request) => {
    const asked = [(await keyOf(request)).tenant_id];
    const [rows, [counted]] = await Promise.all([
      query(scheduling, ['tasks', tasks], asked),
      query<{ total: number }>(scheduling, ['count', count], asked),
    ]);
    const truncated = rows.length > 200;
    return { tasks: rows.slice(0, 200), total: counted?.total, truncated, me, nextPageToken: null };
  });
  app.get<{ Querystring: { from: string; to: string } }>(
    '/public/v1/calendar-events',
    async (request) => {
      await keyOf(request);
      const [from, to] = [Number(request.query.from), Number(request.query.to)];
      return { occurrences: known.flatMap((one) => occurrences(one, from, to)).sort(byStart) };
    },
  );
  const port = await listen(app);
  return {
    port,
    async close() {
      await app.close();
      await Promise.all([access.end(), directory.end(), scheduling.end()]);
    },
  };
});
