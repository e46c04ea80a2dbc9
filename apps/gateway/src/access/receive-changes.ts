import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import { GroupCommit } from '@postroom/concurrency';
import {
  eventConsumers,
  eventGroup,
  internalEventGroup,
  streamConsumer,
  type ConversationMoved,
  type DeliveryEnded,
  type DraftMoved,
  type ImportMoved,
  type MailboxSynced,
  type EventEnvelope,
  type RemindersDue,
} from '@postroom/contracts';
import type { Database } from '@postroom/persistence';
import { tellOfEventsOnce, type EventNotices, type Notice } from './stream-log.js';

/**
 * Publishes changed conversations, disabled webhooks and due reminders to members, each once, from the events
 * and internal events of the services.
 */
export function receiveChanges(bus: Bus, database: Database): Promise<Unsubscribe> {
  const commits = new GroupCommit<EventNotices>((events) =>
    tellOfEventsOnce(database, streamConsumer, events),
  );
  return bus.subscribe(streamConsumer, eventConsumers[streamConsumer].groups, (event) =>
    commits.commit({ event, told: toldOf(event) }),
  );
}

/** Public events beside those of mail, and their words here: the type, its container, and where the data names it. */
const records = {
  contacts: { type: 'contact', within: 'book', named: 'bookId' },
  calendar: { type: 'event', within: 'calendar', named: 'calendarId' },
  tasks: { type: 'task', within: null, named: null },
} as const;

const isOfRecords = (group: string | undefined): group is keyof typeof records =>
  group !== undefined && Object.hasOwn(records, group);

function recordChanged(group: keyof typeof records, kind: string, envelope: string): Notice {
  const { type, within, named } = records[group];
  const { resource, data } = JSON.parse(envelope) as EventEnvelope;
  const record = data as Readonly<Record<string, unknown>>;
  return {
    type: `${type}.${kind.slice(kind.indexOf('.') + 1)}`,
    within: within === null ? null : { type: within, id: String(record[named]) },
    data: { resource: { type, id: resource.id }, by: kind, version: record['version'] ?? null },
  };
}

function importMoved(type: `import.${string}`, envelope: string): Notice {
  const { import: of } = JSON.parse(envelope) as ImportMoved;
  const { id, mailbox } = of;
  const data = { resource: { type: 'import', id }, mailbox, by: type, version: null };
  return { type, within: { type: 'mailbox', id: mailbox }, data };
}

function mailboxSynced(by: 'mailbox.sync', envelope: string): Notice {
  const { mailbox } = JSON.parse(envelope) as MailboxSynced;
  const { id, address, state } = mailbox;
  const data = { resource: { type: 'mailbox', id }, mailbox: address, state, by, version: null };
  return { type: by, within: { type: 'mailbox', id: address }, data };
}

/** Administrators alone see deliveries. */
function deliveryEnded(type: `delivery.${string}`, envelope: string): Notice {
  const { delivery } = JSON.parse(envelope) as DeliveryEnded;
  const { id, ...more } = delivery;
  const data = { resource: { type: 'delivery', id }, ...more, by: type, version: null };
  return { type, within: { type: 'role', id: 'admin' }, data };
}

function toldOf({ type: kind, envelope }: EventRecord): readonly Notice[] {
  const group = eventGroup(kind);
  if (isOfRecords(group)) return [recordChanged(group, kind, envelope)];
  if (isOfDelivery(kind)) return [deliveryEnded(kind, envelope)];
  if (kind === 'mailbox.sync') return [mailboxSynced(kind, envelope)];
  if (isOfImport(kind)) return [importMoved(kind, envelope)];
  if (kind === 'webhook.disabled') {
    const { webhook } = JSON.parse(envelope) as { readonly webhook: object };
    return [{ type: kind, within: null, data: { webhook } }];
  }
  if (kind === 'reminder.due') return remindersIn(JSON.parse(envelope) as RemindersDue);
  if (internalEventGroup(kind) === 'conversations') return [conversationMoved(kind, envelope)];
  if (isOfDraft(kind)) return draftMoved(kind, envelope);
  return [conversationChanged(envelope)];
}

const remindersIn = ({ calendarId, reminders }: RemindersDue): Notice[] =>
  reminders.map((reminder) => ({
    type: 'reminder.due',
    within: calendarId === null ? null : { type: 'calendar', id: calendarId },
    data: { reminder },
  }));

function conversationChanged(envelope: string): Notice {
  const { type, resource, data } = JSON.parse(envelope) as EventEnvelope;
  const mailbox = mailboxIn(data);
  return {
    type: 'conversation.changed',
    within: mailbox === null ? null : { type: 'mailbox', id: mailbox },
    data: { conversation: { id: resource.id, mailbox }, by: type },
  };
}

function conversationMoved(by: string, envelope: string): Notice {
  const { conversation } = JSON.parse(envelope) as ConversationMoved;
  return {
    type: 'conversation.changed',
    within: { type: 'mailbox', id: conversation.mailbox },
    data: { conversation, by },
  };
}

const isOfDraft = (kind: string): kind is `draft.${string}` =>
  internalEventGroup(kind) === 'drafts';

const isOfDelivery = (kind: string): kind is `delivery.${string}` => kind.startsWith('delivery.');

const isOfImport = (kind: string): kind is `import.${string}` =>
  internalEventGroup(kind) === 'imports' && kind.startsWith('import.');

/** Those who look at the mailbox are told; of a failure its author too, whatever became of the mailbox. */
function draftMoved(type: `draft.${string}`, envelope: string): Notice[] {
  const { draft } = JSON.parse(envelope) as DraftMoved;
  const { id, mailbox, threadId, version, sentBy } = draft;
  const within = { type: 'mailbox', id: mailbox } as const;
  const data = { resource: { type: 'draft', id }, mailbox, by: type, version };
  const conversation = threadId === null ? null : { id: threadId, mailbox };
  return [
    ...(type === 'draft.failed' && sentBy !== null
      ? [{ type, within: { type: 'member', id: sentBy }, data } as const]
      : []),
    { type: type === 'draft.failed' ? 'draft.updated' : type, within, data },
    ...(conversation
      ? [{ type: 'conversation.changed', within, data: { conversation, by: type } } as const]
      : []),
  ];
}

function mailboxIn(data: object): string | null {
  const { conversation } = data as { readonly conversation?: { readonly mailbox?: string } };
  return conversation?.mailbox ?? null;
}
