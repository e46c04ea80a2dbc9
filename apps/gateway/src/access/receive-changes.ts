import type { Bus, EventRecord, Unsubscribe } from '@postroom/bus';
import { GroupCommit } from '@postroom/concurrency';
import {
  eventConsumers,
  internalEventGroup,
  streamConsumer,
  type ConversationMoved,
  type DraftMoved,
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

function toldOf({ type: kind, envelope }: EventRecord): readonly Notice[] {
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
