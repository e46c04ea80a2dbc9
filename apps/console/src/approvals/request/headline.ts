import type { ApprovalRequest } from '@postroom/contracts';
import type { IconName } from '../../ui/icons.js';

/** A JSON object that is not known further. */
export type Fields = Readonly<Record<string, unknown>>;

interface Words {
  readonly label: string;
  readonly icon: IconName;
  /** More exact words, where the input has them. */
  readonly of?: (payload: Fields) => string | undefined;
}

const places: Readonly<Record<string, string>> = {
  inbox: 'the inbox',
  archived: 'the archive',
  trash: 'trash',
  spam: 'spam',
};

/** Operations that may wait for a person, in the words of the queue. */
export const operations: Readonly<Record<string, Words>> = {
  'conversations.archive': { label: 'Archive a conversation', icon: 'archive' },
  'conversations.reopen': { label: 'Reopen a conversation', icon: 'inbox' },
  'conversations.comment': { label: 'Add an internal comment', icon: 'comment' },
  'conversations.assign': { label: 'Assign a conversation', icon: 'assign' },
  'conversations.label': { label: 'Change labels', icon: 'label' },
  'conversations.snooze': { label: 'Snooze a conversation', icon: 'snooze' },
  'conversations.unsnooze': { label: 'End a snooze', icon: 'snooze' },
  'conversations.read': {
    label: 'Mark as read or unread',
    icon: 'unread',
    of: ({ unread }) => (unread === true ? 'Mark as unread' : 'Mark as read'),
  },
  'conversations.move': {
    label: 'Move a conversation',
    icon: 'inbox',
    of: ({ placement }) => {
      const place = places[String(placement)];
      return place === undefined ? undefined : `Move a conversation to ${place}`;
    },
  },
  'drafts.create': {
    label: 'Write a draft',
    icon: 'edit',
    of: (payload) => {
      const { threadId, inReplyTo } = draftIn(payload);
      return (threadId ?? inReplyTo) ? 'Draft an answer' : undefined;
    },
  },
  'drafts.update': { label: 'Change a draft', icon: 'edit' },
  'drafts.remove': { label: 'Delete a draft', icon: 'trash' },
  'contacts.create': { label: 'Add a contact', icon: 'contacts' },
  'contacts.update': { label: 'Change a contact', icon: 'contacts' },
  'contacts.remove': { label: 'Delete a contact', icon: 'trash' },
  'calendars.create': { label: 'Create a calendar', icon: 'calendar' },
  'calendarEvents.create': { label: 'Add an event', icon: 'calendar' },
  'calendarEvents.update': { label: 'Change an event', icon: 'calendar' },
  'calendarEvents.remove': { label: 'Delete an event', icon: 'trash' },
  'tasks.create': { label: 'Create a task', icon: 'tasks' },
  'tasks.update': { label: 'Change a task', icon: 'tasks' },
  'tasks.remove': { label: 'Delete a task', icon: 'trash' },
  'webhookTests.emit': { label: 'Send a test event to the webhooks', icon: 'webhook' },
};

/** The fields of a draft: they may stand in an object of their own. */
export function draftIn(payload: Fields): Fields {
  const { draft } = payload;
  return typeof draft === 'object' && draft !== null ? (draft as Fields) : payload;
}

type RequestSummary = Pick<ApprovalRequest, 'operation' | 'payload' | 'summary'>;

/** The effect of a request in a few words. */
export function headlineOf({ operation, payload, summary }: RequestSummary): string {
  const words = operations[operation];
  return words?.of?.(payload) ?? words?.label ?? summary;
}

/** True where the server's summary says more than the headline: when, and which occurrence. */
export const isTimed = ({ operation }: Pick<RequestSummary, 'operation'>): boolean =>
  /^(?:calendarEvents|tasks)\./.test(operation);

const draftEffects: Readonly<Record<string, string>> = {
  'drafts.create': 'A draft is made; nothing is sent.',
  'drafts.update': 'The draft is changed; nothing is sent.',
};

/** The effect of Approve, where one may take it for more than it is. */
export const effectOf = ({ operation }: Pick<RequestSummary, 'operation'>): string | undefined =>
  draftEffects[operation];

export const iconOf = ({ operation }: Pick<RequestSummary, 'operation'>): IconName =>
  operations[operation]?.icon ?? 'agent';

/** The name of what it is about: the title that the server's summary quotes. */
export function titleOf({ summary }: Pick<RequestSummary, 'summary'>): string | null {
  const from = summary.indexOf('“') + 1;
  const to = summary.lastIndexOf('”');
  return from > 0 && to > from ? summary.slice(from, to) : null;
}

export const mailboxOf = ({ payload }: Pick<RequestSummary, 'payload'>): string | null =>
  typeof payload.mailbox === 'string' ? payload.mailbox : null;

/** The conversation that a request is about, where its mailbox is known. */
export function conversationOf(
  approval: ApprovalRequest,
): { readonly conversationId: string; readonly mailbox: string } | null {
  const mailbox = mailboxOf(approval);
  if (mailbox === null) return null;
  const { target, payload, difference } = approval;
  const places: readonly (Fields | null | undefined)[] = [
    draftIn(payload),
    difference?.after,
    difference?.before,
  ];
  const ids = [
    target?.type === 'conversation' ? target.id : null,
    ...places.map((place) => place?.threadId),
  ];
  const id = ids.find((one): one is string => typeof one === 'string');
  return id === undefined ? null : { conversationId: id, mailbox };
}
