import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import {
  mailLinksConsumer,
  type CalendarCreated,
  type CalendarEvent,
  type EventEnvelope,
  type Task,
} from '@postroom/contracts';
import { consumeOnce, type Consuming } from '@postroom/operations';
import { statement, type Database } from '@postroom/persistence';

const learnLink = statement<object>(
  'links.learn',
  `INSERT INTO conversation_links AS l (tenant_id, id, title, thread_id, calendar_id, sequence)
   VALUES ($1, $2, $3, $4, $5, $6)
   ON CONFLICT (tenant_id, id) DO UPDATE SET title = excluded.title,
     thread_id = excluded.thread_id, sequence = excluded.sequence
   WHERE l.sequence < excluded.sequence`,
);

const learnCalendar = statement<object>(
  'links.learn_calendar',
  `INSERT INTO known_calendars (tenant_id, id, is_shared, owner_id) VALUES ($1, $2, $3, $4)
   ON CONFLICT DO NOTHING`,
);

/**
 * Keeps which tasks and events are about which conversation by the events of scheduling, which is never asked
 * for it, and who may see which calendar.
 */
export const learnLinks = (bus: Bus, database: Database): Promise<Unsubscribe> =>
  bus.subscribe(
    mailLinksConsumer,
    ['tasks', 'calendar', 'calendars'],
    async (event: EventRecord) => {
      await consumeOnce(database, mailLinksConsumer, event, (consuming) =>
        event.type === 'calendar.created'
          ? calendarCreated(consuming, JSON.parse(event.envelope) as CalendarCreated)
          : resourceChanged(consuming, JSON.parse(event.envelope) as EventEnvelope),
      );
    },
  );

async function calendarCreated({ rows }: Consuming, { calendar }: CalendarCreated): Promise<void> {
  await rows(learnCalendar, [calendar.id, calendar.isShared, calendar.ownerId]);
}

type Linked = Pick<Task, 'id' | 'title' | 'threadId'> & Partial<Pick<CalendarEvent, 'calendarId'>>;

async function resourceChanged({ rows }: Consuming, event: EventEnvelope): Promise<void> {
  const { id, title, threadId, calendarId = null } = event.data as Linked;
  const { threadId: left = null } = (event.previous ?? {}) as Partial<Linked>;
  // Most are about no conversation, and were not before.
  if (threadId === null && left === null) return;
  const isDeleted = event.type === 'task.deleted' || event.type === 'calendar_event.deleted';
  const values = [id, title, isDeleted ? null : threadId, calendarId, event.sequence];
  await rows(learnLink, values);
}
