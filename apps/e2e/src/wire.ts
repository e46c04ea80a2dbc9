import type { Answer } from './http.js';

/** The shapes of answers that `public-api.md` and `decisions.md` promise. */

export const itemFields = [
  'id',
  'mailbox',
  'subject',
  'preview',
  'status',
  'placement',
  'assignee',
  'teamId',
  'labels',
  'unread',
  'messageCount',
  'commentCount',
  'draftCount',
  'hasAttachments',
  'participants',
  'from',
  'lastMessageId',
  'lastMessageAt',
  'waitingSince',
  'snoozedUntil',
  'createdAt',
  'updatedAt',
  'version',
] as const;

export const messageFields = [
  'id',
  'threadId',
  'direction',
  'from',
  'to',
  'cc',
  'bcc',
  'replyTo',
  'subject',
  'preview',
  'text',
  'html',
  'extractedText',
  'hasRemoteContent',
  'sentAt',
  'receivedAt',
  'messageId',
  'inReplyTo',
  'references',
  'attachments',
  'isAutoReply',
  'bounce',
  'auth',
  'priority',
  'sizeBytes',
  'providerMessageId',
  'receiptSource',
  'createdBy',
] as const;

export const attachmentFields = [
  'id',
  'filename',
  'mimeType',
  'declaredMimeType',
  'size',
  'inline',
  'contentId',
] as const;

export interface Correspondent {
  readonly email: string;
  readonly name: string | null;
}

export interface ConversationItem {
  readonly id: string;
  readonly mailbox: string;
  readonly subject: string;
  readonly preview: string;
  readonly status: string;
  readonly unread: boolean;
  readonly placement: string;
  readonly labels: readonly string[];
  readonly messageCount: number;
  readonly commentCount: number;
  readonly draftCount: number;
  readonly hasAttachments: boolean;
  readonly participants: readonly Correspondent[];
  readonly from: Correspondent | null;
  readonly lastMessageId: string | null;
  readonly lastMessageAt: string;
  readonly assignee: string | null;
  readonly snoozedUntil: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly version: number;
}

export interface Attachment {
  readonly id: string;
  readonly filename: string | null;
  readonly mimeType: string;
  readonly declaredMimeType: string | null;
  readonly size: number;
  readonly inline: boolean;
  readonly contentId: string | null;
}

export interface Message {
  readonly id: string;
  readonly threadId: string;
  readonly direction: string;
  readonly from: Correspondent | null;
  readonly to: readonly Correspondent[];
  readonly cc: readonly Correspondent[];
  readonly replyTo: readonly Correspondent[];
  readonly subject: string;
  readonly text: string | null;
  readonly html: string | null;
  readonly hasRemoteContent: boolean;
  readonly messageId: string | null;
  readonly inReplyTo: string | null;
  readonly references: readonly string[];
  readonly receivedAt: string;
  readonly attachments: readonly Attachment[];
}

export interface Draft {
  readonly id: string;
  readonly mailbox: string;
  readonly threadId: string | null;
  readonly inReplyTo: string | null;
  readonly to: readonly Correspondent[];
  readonly cc: readonly Correspondent[];
  readonly bcc: readonly Correspondent[];
  readonly subject: string;
  readonly body: string;
  readonly attachments: readonly Attachment[];
  readonly signatureId: string | null;
  readonly createdBy: { readonly type: string; readonly id: string };
  readonly source: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly version: number;
}

export interface DraftPage {
  readonly mailbox: string;
  readonly drafts: readonly Draft[];
  readonly truncated: boolean;
  readonly nextPageToken: string | null;
}

export interface Comment {
  readonly id: string;
  readonly text: string;
  readonly createdAt: string;
}

export interface Conversation extends ConversationItem {
  readonly messages: readonly Message[];
  readonly messagesTruncated: boolean;
  readonly comments: readonly Comment[];
}

export interface Page {
  readonly mailbox: string;
  readonly conversations: readonly ConversationItem[];
  readonly nextPageToken: string | null;
}

export interface SearchResult {
  readonly conversationId: string;
  readonly messageId: string;
  readonly subject: string;
}

export interface SearchAnswer {
  readonly mailbox: string;
  readonly query: string;
  readonly results: readonly SearchResult[];
}

export interface ErrorBody {
  readonly error: string;
  readonly requestId: string;
  /** The settings API. */
  readonly message?: string;
  readonly details?: readonly { readonly field: string; readonly message: string }[];
}

export interface Member {
  readonly id: string;
  readonly email: string;
}

export interface Team {
  readonly id: string;
  readonly name: string;
  readonly memberIds: readonly string[];
  readonly version: number;
}

export interface Key {
  readonly id: string;
  readonly scopes: readonly string[];
}

export interface Mailbox {
  readonly id: string;
  readonly address: string;
}

export interface Volumes {
  readonly period: { readonly from: string; readonly to: string; readonly timeZone: string };
  readonly conversations: Readonly<Record<'created' | 'archived' | 'reopened' | 'open', number>>;
  readonly messages: { readonly received: number; readonly sent: number };
  readonly comments: number;
  readonly drafts: { readonly created: number };
  readonly byDay: readonly {
    readonly date: string;
    readonly received: number;
    readonly newConversations: number;
  }[];
  readonly byMailbox: readonly { readonly mailbox: string; readonly received: number }[];
}

/** The JSON of a successful answer. @throws Error that quotes a refusal */
function good(answer: Answer): unknown {
  if (answer.status !== 200 && answer.status !== 201) {
    throw new Error(`Answered ${answer.status}: ${answer.text.slice(0, 2000)}`);
  }
  return JSON.parse(answer.text);
}

export const pageOf = (answer: Answer): Page => good(answer) as Page;

export const searchOf = (answer: Answer): SearchAnswer => good(answer) as SearchAnswer;

export const conversationOf = (answer: Answer): Conversation =>
  (good(answer) as { conversation: Conversation }).conversation;

export const draftOf = (answer: Answer): Draft => (good(answer) as { draft: Draft }).draft;

export const draftsOf = (answer: Answer): DraftPage => good(answer) as DraftPage;

export const commentOf = (answer: Answer): Comment => (good(answer) as { result: Comment }).result;

/** The effect of a write on a conversation. */
export const resultOf = (answer: Answer): Readonly<Record<string, unknown>> =>
  (good(answer) as { result: Readonly<Record<string, unknown>> }).result;

export const teamOf = (answer: Answer): Team => (good(answer) as { team: Team }).team;
export const volumesOf = (answer: Answer): Volumes =>
  (good(answer) as { summary: { volumes: Volumes } }).summary.volumes;

export const keyOf = (answer: Answer): { key: Key; secret: string } =>
  good(answer) as { key: Key; secret: string };

export const memberOf = (answer: Answer): { member: Member; invitationUrl?: string } =>
  good(answer) as { member: Member; invitationUrl?: string };

export const mailboxOf = (answer: Answer): Mailbox =>
  (good(answer) as { mailbox: Mailbox }).mailbox;

export const resetUrlOf = (answer: Answer): string =>
  Object.values(good(answer) as Record<string, string>).find((value) => value.includes('token=')) ??
  '';

/** A list of the settings API. */
export const itemsOf = (answer: Answer): readonly Readonly<Record<string, unknown>>[] =>
  (good(answer) as { items: readonly Readonly<Record<string, unknown>>[] }).items;

/** A record of any kind, which always has an id and a version. */
export const versionedOf = (record: unknown): { readonly id: string; readonly version: number } =>
  record as { id: string; version: number };

/** Any JSON object, for matchers. */
export const recordOf = (answer: Answer): Readonly<Record<string, unknown>> =>
  JSON.parse(answer.text) as Readonly<Record<string, unknown>>;

export const errorOf = (answer: Answer): ErrorBody => JSON.parse(answer.text) as ErrorBody;
