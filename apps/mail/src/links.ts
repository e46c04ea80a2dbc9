import { mayReadBesideMail, memberOf } from '@postroom/access';
import {
  learntLinks,
  mailLinksConsumer,
  type CalendarCreated,
  type CalendarEvent,
  type ConversationLinks,
  type EventEnvelope,
  type LearnLinkPage,
  type Task,
} from '@postroom/contracts';
import { handlers, type Consuming, type Reading } from '@postroom/operations';
import { statement } from '@postroom/persistence';
import type { ReadModel } from './read-models.js';

const find = statement<{ id: string; title: string; isTask: boolean }>(
  'links.of_conversation',
  'SELECT id, title, is_task AS "isTask" FROM links_of($1, $2, $3, $4, $5)',
);

/** The tasks and events that are about a conversation, as far as the caller may read these. */
export async function linksOfConversation(
  { rows, caller }: Pick<Reading, 'rows' | 'caller'>,
  id: string,
): Promise<ConversationLinks> {
  const tasks = mayReadBesideMail(caller, 'read:tasks');
  const events = mayReadBesideMail(caller, 'read:calendar');
  if (!tasks && !events) return { tasks: [], events: [] };
  const found = await rows(find, [id, memberOf(caller), tasks, events]);
  const linksIn = (wanted: boolean) =>
    found.flatMap(({ isTask, ...link }) => (isTask === wanted ? [link] : []));
  return { tasks: linksIn(true), events: linksIn(false) };
}

const learn = statement<object>(
  'links.learn',
  `INSERT INTO conversation_links AS l (tenant_id, id, title, thread_id, calendar_id, sequence)
   SELECT $1, n.id, n.title, n."threadId", n."calendarId", n.sequence
   FROM json_to_recordset($2) AS n (id text, title text, "threadId" text, "calendarId" text,
     sequence bigint)
   ON CONFLICT (tenant_id, id) DO UPDATE SET title = excluded.title,
     thread_id = excluded.thread_id, sequence = excluded.sequence, learnt_at = now()
   WHERE l.sequence <= excluded.sequence`,
);

const forget = statement<object>(
  'links.forget',
  `UPDATE conversation_links SET thread_id = NULL
   WHERE tenant_id = $1 AND id > $2 AND ($3::text IS NULL OR id <= $3) AND thread_id IS NOT NULL
     AND learnt_at < $4::timestamptz - interval '1 minute' AND id <> ALL ($5::text[])`,
);

/** Deletes rows older than a page of the rebuild: the page replaces them, even where its sequence is lower. */
const dropOlder = statement<object>(
  'links.drop_older',
  `DELETE FROM conversation_links WHERE tenant_id = $1 AND id = ANY ($2)
     AND learnt_at < $3::timestamptz - interval '1 minute'`,
);

const learnCalendars = statement<object>(
  'links.learn_calendars',
  `INSERT INTO known_calendars (tenant_id, id, is_shared, owner_id)
   SELECT $1, c.id, c."isShared", c."ownerId"
   FROM json_to_recordset($2) AS c (id text, "isShared" boolean, "ownerId" text)
   ON CONFLICT DO NOTHING`,
);

type Rows = Pick<Consuming, 'rows'>;

/**
 * Keeps which tasks and events are about which conversation by the events of scheduling, which is never asked
 * for it, and who may see which calendar.
 */
export const linksModel: ReadModel = {
  consumer: mailLinksConsumer,
  apply: (consuming, { type, envelope }) =>
    type === 'calendar.created'
      ? calendarCreated(consuming, JSON.parse(envelope) as CalendarCreated)
      : resourceChanged(consuming, JSON.parse(envelope) as EventEnvelope),
};

async function calendarCreated({ rows }: Rows, { calendar }: CalendarCreated): Promise<void> {
  await rows(learnCalendars, [JSON.stringify([calendar])]);
}

type Linked = Pick<Task, 'id' | 'title' | 'threadId'> & Partial<Pick<CalendarEvent, 'calendarId'>>;

async function resourceChanged({ rows }: Rows, event: EventEnvelope): Promise<void> {
  const { id, title, threadId, calendarId = null } = event.data as Linked;
  const { threadId: left = null } = (event.previous ?? {}) as Partial<Linked>;
  // Most are not linked to a conversation, and were not before.
  if (threadId === null && left === null) return;
  const isDeleted = event.type === 'task.deleted' || event.type === 'calendar_event.deleted';
  const { sequence } = event;
  const link = { id, title, threadId: isDeleted ? null : threadId, calendarId, sequence };
  await rows(learn, [JSON.stringify([link])]);
}

/**
 * Stores a page of scheduling's data. Events go on meanwhile: a row that an event wrote within a minute of the
 * page, or later, stays where its sequence is higher, or where the page lacks it.
 */
async function learnLinkPage(
  { rows }: Rows,
  { calendars, links, from, after, at }: LearnLinkPage,
): Promise<void> {
  await rows(learnCalendars, [JSON.stringify(calendars)]);
  const ids = links.map(({ id }) => id);
  await rows(dropOlder, [ids, at]);
  await rows(learn, [JSON.stringify(links)]);
  await rows(forget, [from, after, at, ids]);
}

/** Takes pages of scheduling's data from the gateway when links of conversations are rebuilt. */
export const LearntLinksHandlers = handlers(learntLinks, {
  learn: async (context, page) => {
    await learnLinkPage(context, page);
    return { ok: true };
  },
});
