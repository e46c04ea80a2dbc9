import { Comment, ConversationItem } from '../conversations/conversation.js';
import { Message } from '../conversations/message.js';
import { type Dto, Flag, Id, Part, Text } from '../fields/index.js';
import { CalendarEvent } from '../calendar/event.js';
import { Contact } from '../contacts/contact.js';
import { eventGroups, type EventType } from '../events.js';
import { recordOf } from '../services.js';
import { Task } from '../tasks/task.js';

/** Data of every event about a conversation. */
export class ConversationEvent {
  @Part(() => ConversationItem, 'The conversation once it had happened.')
  conversation!: ConversationItem;
}

/** Data of `conversation.assigned`. */
export class ConversationAssigned extends ConversationEvent {}

/** Data of `conversation.labeled`. */
export class ConversationLabeled extends ConversationEvent {}

/** Data of `conversation.commented`. */
export class ConversationCommented extends ConversationEvent {
  @Part(() => Comment, 'The comment.')
  comment!: Comment;
}

/** Data of the events about a message. */
class MessageEvent extends ConversationEvent {
  @Part(
    () => Message,
    'The message; a body over 64 KiB is left out of it, and the rest of lists over 256 KiB.',
  )
  message!: Message;

  @Flag('Whether a body, or the rest of a list, of the message was left out.')
  dataTruncated!: boolean;
}

/** Data of `conversation.received`. */
export class ConversationReceived extends MessageEvent {}

/** Data of `message.sent`. */
export class MessageSent extends MessageEvent {}

/** Data of `integration.test`. */
export class IntegrationTest {
  @Text('A sentence for whoever reads it.', { max: 200 })
  message!: string;

  @Id('whk', 'The one subscription that was tested; null for all of the workspace.', {
    nullable: true,
  })
  webhookId!: string | null;
}

/** A type's resource, and what its events carry. */
export interface EventDeclaration {
  /** The value of `resource.type`; null where that is not decided. */
  readonly resource: string | null;
  /** Its `data`; null where only the shape of the whole is decided, and the data may be any object. */
  readonly data: Dto | null;
  /** The record whose changed fields' old values stand in `previous`; null where nothing changed. */
  readonly previous: Dto | null;
}

const contact = { resource: 'contact', data: Contact, previous: null } as const;
const calendarEvent = { resource: 'calendar_event', data: CalendarEvent, previous: null } as const;
const task = { resource: 'task', data: Task, previous: null } as const;
const conversation = { resource: 'conversation', previous: null } as const;
/** No producer yet: the envelope with any data. */
const undecided = { resource: null, data: null, previous: null } as const;

/**
 * The payload of every event type: what a handler may emit, what the published schemas say and what
 * the specs hold events against are readings of this one registry. A published payload may only gain
 * optional fields; anything else needs another `apiVersion` beside `v1`.
 */
export const eventPayloads = {
  'conversation.received': { ...conversation, data: ConversationReceived },
  'conversation.assigned': {
    ...conversation,
    data: ConversationAssigned,
    previous: ConversationItem,
  },
  'conversation.labeled': {
    ...conversation,
    data: ConversationLabeled,
    previous: ConversationItem,
  },
  'conversation.commented': { ...conversation, data: ConversationCommented },
  'message.sent': { ...conversation, data: MessageSent },
  'contact.created': contact,
  'contact.updated': { ...contact, previous: Contact },
  'contact.deleted': contact,
  'contact.merged': { ...contact, previous: Contact },
  'calendar_event.created': calendarEvent,
  'calendar_event.updated': { ...calendarEvent, previous: CalendarEvent },
  'calendar_event.deleted': calendarEvent,
  'calendar_event.rsvp_changed': { ...calendarEvent, previous: CalendarEvent },
  'task.created': task,
  'task.updated': { ...task, previous: Task },
  'task.completed': { ...task, previous: Task },
  'task.deleted': task,
  'integration.test': { resource: 'tenant', data: IntegrationTest, previous: null },
  ...recordOf(eventGroups.helpdesk, () => undecided),
} as const satisfies Readonly<Record<EventType, EventDeclaration>>;

type PayloadOf<E extends EventType> = (typeof eventPayloads)[E];

/** The `data` of an event type. */
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
  readonly type: PayloadOf<E>['resource'] extends infer R extends string ? R : string;
  readonly id: string;
}
