import { AnswerOf, FileAnswer } from '../answers.js';
import {
  Count,
  type Dto,
  Email,
  EmailOr,
  Flag,
  Id,
  IfMatch,
  Instant,
  Label,
  ListOf,
  MailboxName,
  OneOf,
  PageToken,
  Part,
  Text,
  type Violation,
  isSeen,
} from '../fields/index.js';
import { family, operation } from '../operation.js';
import {
  Comment,
  Conversation,
  ListedConversation,
  conversationStatuses,
  placements,
  type ConversationStatus,
  type Placement,
} from './conversation.js';

/** Placement of the listed conversations: one, or all. */
export const listedPlacements = [...placements, 'all'] as const;

/** Handling of what is snoozed for the caller's member, which is left out otherwise: shown alone, or too. */
export const snoozedChoices = ['only', 'include'] as const;

/** Orders of the list: by the newest message, or who waits longest for an answer first. */
export const listOrders = ['newest', 'oldest', 'waiting'] as const;

/** Input of the list. */
export class ListConversations {
  @MailboxName('The mailbox.')
  mailbox!: string;

  @Count('Conversations on a page.', { min: 1, max: 100, default: 25 })
  limit!: number;

  @PageToken()
  pageToken?: string;

  @OneOf(listedPlacements, 'Where they are kept.', { default: 'inbox' })
  placement!: Placement | 'all';

  @OneOf(conversationStatuses, 'Those of one status.', { optional: true })
  status?: ConversationStatus;

  @EmailOr('none', 'Those assigned to a member, or to nobody (`none`).', { optional: true })
  assignee?: string;

  @Label('Those that have a label, however it is written (letter case, width, spaces).', {
    optional: true,
  })
  label?: string;

  @Instant(
    'Those changed at that time or later, first changed first, snoozed ones too. With `placement=all` it keeps a copy in step.',
    { optional: true },
  )
  updatedSince?: string;

  @Id('tea', 'Those assigned to a team.', { optional: true })
  teamId?: string;

  @Id('ctc', 'Those of an outside sender who is this contact, if the caller may read it.', {
    optional: true,
  })
  contactId?: string;

  @Flag('Unread ones, or those that are read.', { optional: true })
  unread?: boolean;

  @OneOf(
    snoozedChoices,
    'What is snoozed for the member of the key alone, or too; it is left out when absent.',
    { optional: true },
  )
  snoozed?: (typeof snoozedChoices)[number];

  @OneOf(
    listOrders,
    'By the newest message (`newest` when absent), or, of those who wait for an answer, who waits longest first; not with `updatedSince`.',
    { optional: true },
  )
  sort?: (typeof listOrders)[number];
}

/** The order of changes is one of its own. */
function listFaults({ updatedSince, sort }: ListConversations): readonly Violation[] {
  if (updatedSince === undefined || sort === undefined) return [];
  const message = { fr: 'absent avec updatedSince attendu', en: 'expected none with updatedSince' };
  return [{ field: 'sort', fault: 'UNKNOWN_VALUE', message }];
}

/** A conversation of a mailbox: input of the operations that need nothing else. */
export class GetConversation {
  @Id('cnv', 'The conversation.')
  id!: string;

  @MailboxName('The mailbox it belongs to.')
  mailbox!: string;
}

/** Input of a change of a conversation, which may say which version of it was read. */
export class ChangeConversation extends GetConversation {
  @IfMatch()
  ifMatch?: number;
}

/** Input of archive. */
export class ArchiveConversation extends ChangeConversation {}

/** Input of reopen. */
export class ReopenConversation extends ChangeConversation {}

/** Input of comment. */
export class CommentOnConversation extends GetConversation {
  @Text('What to say to the team.', { max: 10_000, filled: true })
  text!: string;
}

/** A page of conversations in the order that was asked for; with `updatedSince`, those that changed first come first. */
export class ConversationPage {
  @Email('The mailbox.')
  mailbox!: string;

  @ListOf(() => ListedConversation, 'Conversations, newest first.', { max: 100 })
  conversations!: ListedConversation[];

  @Text('Give it as `pageToken` for the next page; null on the last.', {
    max: 2000,
    nullable: true,
  })
  nextPageToken!: string | null;
}

/** One conversation in full. */
export class ConversationAnswer {
  @Email('The mailbox.')
  mailbox!: string;

  @Part(() => Conversation, 'The conversation.')
  conversation!: Conversation;
}

/** The version of a conversation after a change. */
export class ChangedVersion {
  @Count('Of the conversation, for `If-Match`: grows by one with every change.', {
    max: Number.MAX_SAFE_INTEGER,
  })
  version!: number;
}

/** Result of archive. */
export class ArchiveResult extends ChangedVersion {
  @OneOf(['archive'], 'The action.')
  action!: 'archive';

  @Flag('Always true, also when it was archived before.')
  applied!: boolean;
}

/** Result of reopen. */
export class ReopenResult extends ChangedVersion {
  @OneOf(['reopen'], 'The action.')
  action!: 'reopen';

  @Flag('Always true.')
  applied!: boolean;

  @Flag('Always true: reopening shows a conversation in the inbox (never out of trash or spam).')
  inbox!: boolean;
}

/** Answer of every write on a conversation, beside its result. */
export class TriageAnswer {
  @Flag('Always true.')
  ok!: boolean;

  @Id('cnv', 'The conversation.')
  id!: string;
}

/** Answer of a write on a conversation, with its result. */
export const ResultOf = <P extends object>(dto: () => Dto<P>, about = 'What was done.') =>
  AnswerOf('result', dto, about, TriageAnswer);

/** Answer of archive. */
export class ArchiveAnswer extends ResultOf(() => ArchiveResult) {}

/** Answer of reopen. */
export class ReopenAnswer extends ResultOf(() => ReopenResult) {}

/** Answer of comment. */
export class CommentAnswer extends ResultOf(() => Comment, 'The comment.') {}

/** Conversations of a shared mailbox (public-api.md §4). */
export const conversations = family('mail', 'conversations', {
  list: operation({
    http: 'GET /v1/conversations',
    scope: 'read:conversations',
    summary: 'List the conversations of a mailbox, newest first or by change',
    input: ListConversations,
    output: ConversationPage,
    rule: listFaults,
    mailbox: 'read',
    problems: ['INVALID_PAGE_TOKEN', 'MAILBOX_NOT_FOUND'],
  }),
  get: operation({
    http: 'GET /v1/conversations/:id',
    scope: 'read:conversations',
    summary: 'Read a conversation with all its messages and comments',
    input: GetConversation,
    output: ConversationAnswer,
    mailbox: 'read',
    problems: ['CONVERSATION_NOT_FOUND'],
  }),
  archive: operation({
    http: 'POST /v1/conversations/:id/archive',
    scope: 'write:conversations',
    summary: 'Archive a conversation; nothing is deleted',
    input: ArchiveConversation,
    output: ArchiveAnswer,
    mailbox: 'write',
    problems: ['CONVERSATION_NOT_FOUND'],
  }),
  reopen: operation({
    http: 'POST /v1/conversations/:id/reopen',
    scope: 'write:conversations',
    summary: 'Bring an archived conversation back to the inbox',
    input: ReopenConversation,
    output: ReopenAnswer,
    mailbox: 'write',
    problems: ['CONVERSATION_NOT_FOUND'],
  }),
  comment: operation({
    http: 'POST /v1/conversations/:id/comment',
    scope: 'write:conversations',
    summary: 'Add an internal comment, never sent to the correspondent',
    input: CommentOnConversation,
    output: CommentAnswer,
    rule: isSeen('text'),
    mailbox: 'write',
    idempotency: 'required',
    emits: ['conversation.commented'],
    problems: ['CONVERSATION_NOT_FOUND', 'QUOTA_EXCEEDED'],
  }),
});

/** Input of a download. */
export class GetAttachment {
  @Id('att', 'The attachment.')
  id!: string;

  @MailboxName('The mailbox it came to.')
  mailbox!: string;

  @Flag('Whether a picture, a sound, a film or plain text is to be shown instead of saved.', {
    optional: true,
  })
  inline?: boolean;
}

/** Files of messages (`decisions.md` §4). */
export const attachments = family('mail', 'attachments', {
  get: operation({
    http: 'GET /v1/attachments/:id',
    scope: 'read:conversations',
    addition: true,
    summary: 'Download a file of a message, byte for byte',
    input: GetAttachment,
    description:
      'A file never changes, so that a browser may keep it for a day. With `inline` a type that no ' +
      'browser executes is shown; any other is a download all the same.',
    output: FileAnswer,
    mailbox: 'read',
    problems: ['ATTACHMENT_NOT_FOUND'],
    // Large ones wait for each other.
    deadlineMs: 30_000,
  }),
});
