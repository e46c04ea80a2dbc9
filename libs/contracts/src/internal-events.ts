import { eventGroup, type EventGroup, eventGroups, type EventType } from './events.js';
import { type ServiceName, serviceNames, services } from './services.js';
import type { MessageInvitation } from './conversations/message.js';

/**
 * Events between services alone, by group (`decisions.md` §11). A group is a topic of the bus, apart from those
 * of the events: consumers of events for the outside cannot name it.
 */
export const internalEventGroups = {
  audit: ['audit.recorded'],
  calendars: ['calendar.created'],
  webhooks: ['webhook.disabled', 'delivery.failed', 'delivery.succeeded'],
  books: ['book.changed'],
  reminders: ['reminder.due'],
  invitations: ['invitation.received'],
  decisions: ['invitation.decided'],
  conversations: [
    ...['conversation.archived', 'conversation.reopened', 'conversation.moved'],
    ...['conversation.read', 'conversation.snoozed', 'conversation.unsnoozed'],
    'conversation.leased',
  ],
  drafts: [
    ...['draft.created', 'draft.updated', 'draft.deleted', 'draft.scheduled'],
    ...['draft.unscheduled', 'draft.failed', 'draft.sent'],
  ],
  imports: [
    ...['import.started', 'import.done', 'import.failed', 'import.stopped'],
    'mailbox.sync',
  ],
} as const;

export type InternalEventGroup = keyof typeof internalEventGroups;

/** The services that write a group. */
export const internalEventProducers: Readonly<Record<InternalEventGroup, readonly ServiceName[]>> =
  {
    audit: serviceNames.filter((name) => services[name].forwardsAudit),
    calendars: ['scheduling'],
    webhooks: ['webhooks'],
    books: ['directory'],
    reminders: ['scheduling'],
    invitations: ['mail'],
    decisions: ['scheduling'],
    conversations: ['mail'],
    drafts: ['mail'],
    imports: ['mail'],
  };

export type InternalEventType = (typeof internalEventGroups)[InternalEventGroup][number];

/** Groups of what leaves through an outbox. */
export type OutgoingGroup = EventGroup | InternalEventGroup;
export type OutgoingType = EventType | InternalEventType;

const groupByType = new Map<string, InternalEventGroup>(
  Object.entries(internalEventGroups).flatMap(([group, types]) =>
    types.map((type) => [type, group as InternalEventGroup] as const),
  ),
);

/** The group of an internal event's type; undefined for everything else, public events too. */
export const internalEventGroup = (type: string): InternalEventGroup | undefined =>
  groupByType.get(type);

/** The group of what may leave through an outbox; undefined for a type that nothing has. */
export const outgoingGroup = (type: string): OutgoingGroup | undefined =>
  eventGroup(type) ?? internalEventGroup(type);

/** Consumer of the audit records of the other services, which seals them. */
export const auditConsumer = 'audit';

/** Consumer of events that publishes them to signed-in members. */
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
    /** Grows with every such event of the book. */
    readonly sequence: number;
    /** Members who may read it; it counts where the book is not shared. */
    readonly memberIds: readonly string[];
  };
}

/** The mail service, which shows contacts beside mail. */
export const mailContactsConsumer = 'mail-contacts';

/** A reminder that has become due, of an occurrence of an event or of a task. */
export interface TimelyReminder {
  readonly eventId?: string;
  readonly taskId?: string;
  /** For an event: the start of the occurrence by the rule of its series. */
  readonly occurrenceStartMs?: number;
  /** For a task: the member who is to do it. */
  readonly assignee?: string | null;
  readonly dueMs: number;
  readonly minutes: number;
  /** True if it was due more than a minute before it could be published. */
  readonly late: boolean;
}

/** The envelope of `reminder.due`: reminders of one event or task, each told once. */
export interface RemindersDue {
  readonly occurredAt: string;
  /** The calendar whose readers are notified; null: all members, who all may read tasks. */
  readonly calendarId: string | null;
  readonly reminders: readonly TimelyReminder[];
}

/** The scheduling service, which decides about invitations. */
export const invitationsConsumer = 'scheduling-invitations';

/** The envelope of `invitation.received`: a mailbox has received a calendar part. */
export interface InvitationReceived {
  readonly occurredAt: string;
  readonly messageId: string;
  /** Address that the message says it is from. */
  readonly sender: string;
  /** The verdict; null where it was not checked. */
  readonly dmarc: string | null;
  /** True where DKIM or SPF passes for the domain of the sender, whether or not that publishes a policy. */
  readonly isAligned?: boolean;
  /** Addresses that the calendar part names and that are mailboxes of the workspace. */
  readonly ours?: readonly string[];
  /** iCalendar, of 256 KiB at most. */
  readonly calendar: string;
}

/** The mail service, which shows what became of invitations. */
export const mailInvitationsConsumer = 'mail-invitations';

/** The envelope of `invitation.decided`. */
export interface InvitationDecided {
  readonly occurredAt: string;
  readonly messageId: string;
  readonly invitation: MessageInvitation;
}

/**
 * The envelope of the events of the group `conversations`: changes of a conversation that
 * have no public event, for those who look at the mailbox.
 */
export interface ConversationMoved {
  readonly occurredAt: string;
  readonly conversation: { readonly id: string; readonly mailbox: string };
}

/** The envelope of `draft.*`: changes of drafts, for those who look at the mailbox. */
export interface DraftMoved {
  readonly occurredAt: string;
  readonly draft: {
    readonly id: string;
    readonly mailbox: string;
    /** The conversation that it belongs to. */
    readonly threadId: string | null;
    readonly version: number;
    /** The member who sends it: told of a failure wherever the mailbox went. */
    readonly sentBy: string | null;
  };
}

/** The envelope of `import.*`: an import of mail into a mailbox. */
export interface ImportMoved {
  readonly import: { readonly id: string; readonly mailbox: string };
}

/** The envelope of `mailbox.sync`: how a mailbox that is read from an account elsewhere stands. */
export interface MailboxSynced {
  readonly mailbox: { readonly id: string; readonly address: string; readonly state: string };
}

/**
 * The envelope of `delivery.failed`: the last attempt of a webhook's delivery has failed; and of `delivery.succeeded`,
 * which is told only where a person waits for it: of a test, and of what was sent again.
 */
export interface DeliveryEnded {
  readonly delivery: { readonly id: string; readonly webhookId: string; readonly eventId: string };
}

/** Consumer of all events, for webhooks and the feed. */
export const webhooksConsumer = 'webhooks';

/** The groups that a consumer of events reads, and the service it is part of. */
export interface EventConsumer {
  readonly service: ServiceName;
  readonly groups: readonly OutgoingGroup[];
}

/** Every consumer of events, by its name; a subscription takes its groups from here. */
export const eventConsumers = {
  [auditConsumer]: { service: 'access', groups: ['audit'] },
  [streamConsumer]: {
    service: 'access',
    groups: [
      ...(['messaging', 'contacts', 'calendar', 'tasks'] as const),
      ...(['conversations', 'drafts', 'imports', 'webhooks', 'reminders'] as const),
    ],
  },
  [mailContactsConsumer]: { service: 'mail', groups: ['contacts', 'books'] },
  [mailLinksConsumer]: { service: 'mail', groups: ['tasks', 'calendar', 'calendars'] },
  [invitationsConsumer]: { service: 'scheduling', groups: ['invitations'] },
  [mailInvitationsConsumer]: { service: 'mail', groups: ['decisions'] },
  [webhooksConsumer]: { service: 'webhooks', groups: Object.keys(eventGroups) as EventGroup[] },
} as const satisfies Record<string, EventConsumer>;
