import { eventGroup, type EventGroup, type EventType } from './events.js';

/**
 * What services tell each other and nobody else, by group (`decisions.md` §11). A group is a topic of
 * the bus, apart from those of the events: whoever consumes events for the outside cannot name it.
 */
export const internalEventGroups = {
  audit: ['audit.recorded'],
  calendars: ['calendar.created'],
  webhooks: ['webhook.disabled'],
  books: ['book.changed'],
} as const;

export type InternalEventGroup = keyof typeof internalEventGroups;
export type InternalEventType = (typeof internalEventGroups)[InternalEventGroup][number];

/** Groups of what leaves through an outbox. */
export type OutgoingGroup = EventGroup | InternalEventGroup;
export type OutgoingType = EventType | InternalEventType;

const groupByType = new Map<string, InternalEventGroup>(
  Object.entries(internalEventGroups).flatMap(([group, types]) =>
    types.map((type) => [type, group as InternalEventGroup] as const),
  ),
);

/** The group of a notice's type; undefined for everything else, events too. */
export const internalEventGroup = (type: string): InternalEventGroup | undefined =>
  groupByType.get(type);

/** The group of what may leave through an outbox; undefined for a type that nothing has. */
export const outgoingGroup = (type: string): OutgoingGroup | undefined =>
  eventGroup(type) ?? internalEventGroup(type);

/** Who consumes the audit records of the other services, and seals them. */
export const auditConsumer = 'audit';

/** Who consumes events to tell signed-in members of them. */
export const streamConsumer = 'stream';

/** The envelope of `calendar.created`: who may see a calendar, which never changes. */
export interface CalendarCreated {
  readonly calendar: {
    readonly id: string;
    readonly isShared: boolean;
    /** The member who sees it where it is not shared. */
    readonly ownerId: string;
  };
}

/** The mail service, which shows what tasks and events a conversation has. */
export const mailLinksConsumer = 'mail-links';

/** The envelope of `book.changed`: who may read an address book from then on. */
export interface BookChanged {
  readonly occurredAt: string;
  readonly book: {
    readonly id: string;
    readonly isShared: boolean;
    readonly isDeleted: boolean;
    /** Members who may read it; it counts where the book is not shared. */
    readonly memberIds: readonly string[];
  };
}

/** The mail service, which shows contacts beside mail. */
export const mailContactsConsumer = 'mail-contacts';
