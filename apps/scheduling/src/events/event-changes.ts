import { newId, type CalendarEvent, type Creator, type EventType } from '@postroom/contracts';
import { previousOf, requireRoomFor, type Changing, type EmittedEvent } from '@postroom/operations';
import type { SeriesAnswers } from '../recurrence/index.js';
import { answersChanged, isSameButAnswers } from './attendees.js';
import { answeredEnd, type EventRecord, type StoredEvent } from './event-record.js';
import { eventView } from './event.view.js';
import type { SpannedEvent } from './occurrences.js';
import { changeEvent, insertEvent, removeEvent, removeEventsOf } from './stored-events.js';

type Change = Pick<Changing, 'rows' | 'at'>;
type Emit<E extends EventType> = { readonly emit: (event: EmittedEvent<E>) => void };

/** The origin of an event, and the answers about its series. */
interface Origin {
  readonly asked: SeriesAnswers;
  readonly createdBy: Creator;
  /** Its identifier elsewhere, where it has one. */
  readonly uid?: string;
}

/**
 * Adds an event to a calendar.
 * @param limit how many the workspace may have
 * @throws Problem QUOTA_EXCEEDED
 */
export async function addEvent(
  context: Change & Emit<'calendar_event.created'>,
  calendarId: string,
  record: EventRecord,
  { createdBy, uid = '', asked }: Origin,
  limit: number,
): Promise<SpannedEvent> {
  const lastStartMs = answeredEnd(record, asked);
  await requireRoomFor(context, 'events', limit);
  const { at } = context;
  const id = newId('evt');
  const event: SpannedEvent = {
    ...{ ...record, lastStartMs },
    ...{ id, calendarId, uid: uid || `${id}@postroom`, createdBy },
    ...{ createdAt: at, updatedAt: at, version: 1, sequence: 1 },
  };
  await insertEvent(context, event);
  context.emit({ ...about(event), type: 'calendar_event.created', data: eventView(event) });
  return event;
}

/**
 * Stores a change of a locked event.
 * @param emitAnswers emits the answers of attendees, which have an event of their own
 * @returns the unchanged one where nothing differs
 */
export async function rewriteEvent(
  context: Change & Emit<'calendar_event.updated'>,
  before: SpannedEvent,
  record: Partial<EventRecord>,
  asked: SeriesAnswers,
  emitAnswers: Emit<'calendar_event.rsvp_changed'>['emit'] | null = null,
): Promise<SpannedEvent> {
  const changed = previousOf(eventView(before), eventView({ ...before, ...record }));
  if (Object.keys(changed).length === 0) return before;
  const told = eventsOf(before, record, changed, emitAnswers !== null);
  const event: SpannedEvent = {
    ...before,
    ...record,
    lastStartMs: answeredEnd({ ...before, ...record }, asked, before),
    // A clock that was set back does not move it back in the order of changes.
    updatedAt: context.at > before.updatedAt ? context.at : before.updatedAt,
    version: before.version + 1,
    sequence: before.sequence + Number(told.isUpdate) + Number(told.isAnswer),
  };
  await changeEvent(context, event);
  const data = eventView(event);
  const { resource } = about(event);
  if (told.isUpdate) {
    const sequence = before.sequence + 1;
    context.emit({ type: 'calendar_event.updated', resource, sequence, data, previous: changed });
  }
  if (told.isAnswer) {
    const { sequence } = event;
    const { attendees, overrides } = changed;
    const previous = { ...(attendees && { attendees }), ...(overrides && { overrides }) };
    emitAnswers?.({ type: 'calendar_event.rsvp_changed', resource, sequence, data, previous });
  }
  return event;
}

/** Decides whether a change is an update of the event, an answer of attendees, or both. */
function eventsOf(
  before: StoredEvent,
  record: Partial<EventRecord>,
  changed: Partial<CalendarEvent>,
  tellsAnswers: boolean,
): { readonly isUpdate: boolean; readonly isAnswer: boolean } {
  const after = { ...before, ...record };
  const isAnswer = tellsAnswers && answersChanged(before, after);
  const isOfAttendees = Object.keys(changed).every((name) => answering.has(name));
  return { isAnswer, isUpdate: !isAnswer || !isOfAttendees || !isSameButAnswers(before, after) };
}

/** The fields that hold answers: to the event, and to single occurrences. */
const answering = new Set(['attendees', 'overrides']);

/** Deletes a locked event. */
export async function deleteEvent(
  context: Change & Emit<'calendar_event.deleted'>,
  event: StoredEvent,
): Promise<void> {
  await removeEvent(context, event.id);
  emitDeleted(context, event);
}

/** Deletes all events of a locked calendar. @returns how many they were */
export async function deleteEventsOf(
  context: Change & Emit<'calendar_event.deleted'>,
  calendarId: string,
): Promise<number> {
  const removed = await removeEventsOf(context, calendarId);
  for (const event of removed) emitDeleted(context, event);
  return removed.length;
}

const emitDeleted = (context: Emit<'calendar_event.deleted'>, event: StoredEvent): void => {
  const sequence = event.sequence + 1;
  const data = eventView(event);
  context.emit({ ...about({ id: event.id, sequence }), type: 'calendar_event.deleted', data });
};

/** The fields of an event on the bus beside its data. */
const about = ({ id, sequence }: Pick<StoredEvent, 'id' | 'sequence'>) => ({
  resource: { type: 'calendar_event', id } as const,
  sequence,
});
