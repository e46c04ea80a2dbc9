import { CalendarEvent } from '../calendar/index.js';
import { Contact } from '../contacts/index.js';
import { ConversationItem } from '../conversations/index.js';
import type { EventType } from '../events.js';
import type { Dto } from '../fields/index.js';
import { Task } from '../tasks/index.js';
import { IntegrationTest } from './integration-test.js';
import {
  ConversationAssigned,
  ConversationCommented,
  ConversationLabeled,
  ConversationReceived,
  MessageSent,
} from './messaging.js';

/** Versions of payloads; an event says which one it has as `apiVersion`. */
export const eventVersions = ['v1'] as const;
export type EventVersion = (typeof eventVersions)[number];

/** What an event of a type carries, in one version. */
export interface EventPayload {
  /** Its `data`; null where only the shape of the whole is decided, and the data may be any object. */
  readonly data: Dto | null;
  /** The record whose changed fields' old values stand in `previous`; null where nothing changed. */
  readonly previous: Dto | null;
}

/** A type's resource and its payload in every version that was ever published. */
export type EventDeclaration = Readonly<Record<EventVersion, EventPayload>> & {
  /** What `resource.type` says; null where that is not decided. */
  readonly resource: string | null;
};

const open = { data: null, previous: null } as const;
const contact = { resource: 'contact', v1: { data: Contact, previous: null } } as const;
const changedContact = { resource: 'contact', v1: { data: Contact, previous: Contact } } as const;
const calendarEvent = {
  resource: 'calendar_event',
  v1: { data: CalendarEvent, previous: null },
} as const;
const changedCalendarEvent = {
  resource: 'calendar_event',
  v1: { data: CalendarEvent, previous: CalendarEvent },
} as const;
const task = { resource: 'task', v1: { data: Task, previous: null } } as const;
const changedTask = { resource: 'task', v1: { data: Task, previous: Task } } as const;
const undecided = { resource: null, v1: open } as const;

/**
 * The payload of every event type by version: what a handler may emit, what the published schemas
 * say and what the specs hold events against are readings of this one registry. A published payload
 * may only gain optional fields; anything else is another version beside it.
 */
export const eventPayloads = {
  'conversation.received': {
    resource: 'conversation',
    v1: { data: ConversationReceived, previous: null },
  },
  'conversation.assigned': {
    resource: 'conversation',
    v1: { data: ConversationAssigned, previous: ConversationItem },
  },
  'conversation.labeled': {
    resource: 'conversation',
    v1: { data: ConversationLabeled, previous: ConversationItem },
  },
  'conversation.commented': {
    resource: 'conversation',
    v1: { data: ConversationCommented, previous: null },
  },
  'message.sent': { resource: 'conversation', v1: { data: MessageSent, previous: null } },
  'contact.created': contact,
  'contact.updated': changedContact,
  'contact.deleted': contact,
  'contact.merged': changedContact,
  'calendar_event.created': calendarEvent,
  'calendar_event.updated': changedCalendarEvent,
  'calendar_event.deleted': calendarEvent,
  'calendar_event.rsvp_changed': changedCalendarEvent,
  'task.created': task,
  'task.updated': changedTask,
  'task.completed': changedTask,
  'task.deleted': task,
  'integration.test': { resource: 'tenant', v1: { data: IntegrationTest, previous: null } },
  'channel.message.received': undecided,
  'channel.message.sent': undecided,
  'channel.note.recorded': undecided,
  'channel.delivery.updated': undecided,
  'ticket.created': undecided,
  'ticket.assigned': undecided,
  'ticket.fields_changed': undecided,
  'ticket.status_changed': undecided,
  'ticket.sla_breached': undecided,
  'ticket.escalated': undecided,
  'knowledge.article.published': undecided,
  'csat.response.created': undecided,
} as const satisfies Readonly<Record<EventType, EventDeclaration>>;

type PayloadOf<E extends EventType> = (typeof eventPayloads)[E]['v1'];

/** The `data` of an event type, in the version that is emitted. */
export type EventData<E extends EventType> = PayloadOf<E>['data'] extends Dto<infer D> ? D : object;

/** The `previous` of an event type: never given where its events change nothing. */
export type EventPrevious<E extends EventType> =
  PayloadOf<E> extends { previous: Dto<infer P> }
    ? Partial<P>
    : PayloadOf<E> extends { data: null }
      ? object
      : never;

/** The `resource` of an event type. */
export interface EventResource<E extends EventType> {
  readonly type: (typeof eventPayloads)[E]['resource'] extends infer R extends string ? R : string;
  readonly id: string;
}
