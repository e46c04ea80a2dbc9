import { AnswerOf, Correspondent, Done } from './answers.js';
import { bodyMax, messageFaults, subjectMax } from './compose.js';
import { Attachment, Creator } from './conversations/message.js';
import {
  Addresses,
  type AttachedFile,
  AttachedFiles,
  Count,
  Email,
  Flag,
  HeaderText,
  Id,
  IfMatch,
  Instant,
  ListOf,
  MailboxName,
  OneOf,
  Part,
  type Recipient,
  Text,
  Version,
  type Violation,
} from './fields/index.js';
import { family, operation } from './operation.js';

/** A draft that a member has sent, until its message has its receipt (`decisions.md` §9). */
export class ScheduledSend {
  @Instant('When it is to leave.')
  sendAt!: string;

  @Id('mbr', 'The member who sends it.')
  by!: string;

  @OneOf(
    ['waiting', 'sending', 'failed'],
    '`waiting`: it can be held back. `sending`: it leaves now, or its outcome is not known yet. ' +
      '`failed`: nothing was sent.',
  )
  state!: 'waiting' | 'sending' | 'failed';

  @Text('Code of what holds it up, or of what it failed with.', { max: 60, nullable: true })
  reason!: string | null;
}

/** A message that is being written (`decisions.md` §4). */
export class Draft {
  @Id('drf', 'The draft.')
  id!: string;

  @Email('The mailbox it is written in.')
  mailbox!: string;

  @Id('cnv', 'The conversation it continues.', { nullable: true })
  threadId!: string | null;

  @Id('msg', 'The message it answers.', { nullable: true })
  inReplyTo!: string | null;

  @ListOf(() => Correspondent, 'Recipients.', { max: 500 })
  to!: Correspondent[];

  @ListOf(() => Correspondent, 'Recipients of a copy.', { max: 500 })
  cc!: Correspondent[];

  @ListOf(() => Correspondent, 'Recipients of a copy whom the others do not see.', { max: 500 })
  bcc!: Correspondent[];

  @Text('Subject.', { max: subjectMax })
  subject!: string;

  @Text('What it says, as it was given: HTML, or plain text.', { max: bodyMax })
  body!: string;

  @ListOf(() => Attachment, 'Files.', { max: 50 })
  attachments!: Attachment[];

  @Id('sig', 'The signature to be written below it.', { nullable: true })
  signatureId!: string | null;

  @Part(() => Creator, 'Who began it.')
  createdBy!: Creator;

  @OneOf(['app', 'api', 'mcp'], 'Where it was begun.')
  source!: 'app' | 'api' | 'mcp';

  @Part(() => ScheduledSend, 'When and by whom it is sent; null of one that nobody has sent.', {
    nullable: true,
  })
  scheduled!: ScheduledSend | null;

  @Instant('Creation.')
  createdAt!: string;

  @Instant('Last change.')
  updatedAt!: string;

  @Version()
  version!: number;
}

/** Input of the list. */
export class ListDrafts {
  @MailboxName('The mailbox.')
  mailbox!: string;

  @Id('cnv', 'Drafts of this conversation alone.', { optional: true })
  threadId?: string;

  @Count('Drafts on a page.', { min: 1, max: 100, default: 30 })
  limit!: number;

  @Text('`nextPageToken` of the page before.', { max: 2000, optional: true })
  pageToken?: string;
}

const maybe = { optional: true, nullable: true } as const;

/** Fields of a draft; none is required yet. */
export class DraftContent {
  @Addresses('Recipients.', maybe)
  to?: Recipient[] | null;

  @Addresses('Recipients of a copy.', maybe)
  cc?: Recipient[] | null;

  @Addresses('Recipients of a copy whom the others do not see.', maybe)
  bcc?: Recipient[] | null;

  @HeaderText('Subject.', { max: subjectMax, ...maybe })
  subject?: string | null;

  @Text('What it says: HTML, or plain text.', { max: bodyMax, ...maybe })
  body?: string | null;

  @Id('cnv', 'The conversation it continues; that of the message it answers when absent.', maybe)
  threadId?: string | null;

  @Id('msg', 'The message it answers.', maybe)
  inReplyTo?: string | null;

  @Id('sig', 'The signature to be written below it.', maybe)
  signatureId?: string | null;

  @AttachedFiles(
    'Its files, all of them; those of a key are part of a body of 1 MiB at most.',
    maybe,
  )
  attachments?: AttachedFile[] | null;
}

/** Input of creation. */
export class CreateDraft extends DraftContent {
  @MailboxName('The mailbox it is written in.')
  mailbox!: string;

  @Part(() => DraftContent, 'The draft; the fields beside it are taken where it is absent.', {
    optional: true,
  })
  draft?: DraftContent;
}

/** Input of change: absent stays, null clears. */
export class UpdateDraft extends CreateDraft {
  @Id('drf', 'The draft.')
  id!: string;

  @IfMatch()
  ifMatch?: number;
}

/** Input of removal. */
export class RemoveDraft {
  @Id('drf', 'The draft.')
  id!: string;

  @MailboxName('The mailbox it is written in.')
  mailbox!: string;

  @IfMatch()
  ifMatch?: number;
}

/** A page of drafts. */
export class DraftPage {
  @Email('The mailbox.')
  mailbox!: string;

  @ListOf(() => Draft, 'Drafts, last changed first.', { max: 100 })
  drafts!: Draft[];

  @Flag('Whether there are more than these.')
  truncated!: boolean;

  @Text('Give it as `pageToken` for the next page; null on the last.', {
    max: 2000,
    nullable: true,
  })
  nextPageToken!: string | null;
}

/** One draft. */
export class DraftAnswer extends AnswerOf('draft', () => Draft, 'The draft.') {}

/** Answer of removal. */
export class DraftRemoved extends Done {
  @Id('drf', 'The draft that was removed.')
  id!: string;
}

/** The draft that is given: `draft`, or, without it, the body itself. */
export const draftGiven = (input: CreateDraft): DraftContent => input.draft ?? input;

/** As a message's, named as they were given. */
const draftFaults = (input: CreateDraft): readonly Violation[] =>
  messageFaults(draftGiven(input)).map(({ field, ...fault }) => ({
    ...fault,
    field: input.draft ? `draft.${field}` : field,
  }));

const references = `A thread, message or signature that is not in the mailbox is answered 404. Addresses
take every form that a send takes; one that is not finished is refused, as it would be there. What is
in the body beside the fields below is ignored.`;

/** Drafts of a shared mailbox (public-api.md §4); none of these sends. */
export const drafts = family('mail', 'drafts', {
  list: operation({
    http: 'GET /v1/drafts',
    scope: 'drafts:write',
    summary: 'List the drafts of a mailbox, last changed first',
    description:
      'A page ends early where it would be more than a few megabytes. A draft that is changed during a ' +
      'walk is on its first page from then on.',
    input: ListDrafts,
    output: DraftPage,
    mailbox: 'read',
    problems: ['INVALID_PAGE_TOKEN', 'MAILBOX_NOT_FOUND'],
  }),
  create: operation({
    http: 'POST /v1/drafts',
    scope: 'drafts:write',
    success: 201,
    summary: 'Begin a draft; it is not sent',
    description: references,
    input: CreateDraft,
    output: DraftAnswer,
    rule: draftFaults,
    mailbox: 'write',
    unknownFields: 'ignore',
    problems: [
      'MAILBOX_NOT_FOUND',
      'CONVERSATION_NOT_FOUND',
      'MESSAGE_NOT_FOUND',
      'SIGNATURE_NOT_FOUND',
      'UPLOAD_NOT_FOUND',
      'ATTACHMENTS_TOO_LARGE',
      'QUOTA_EXCEEDED',
    ],
  }),
  update: operation({
    http: 'PATCH /v1/drafts/:id',
    scope: 'drafts:write',
    summary: 'Change a draft: what is absent stays, null clears',
    description: `${references} Files that are given replace all that were there;
one that is there already, uploaded or of this draft, is named by \`uploadId\`. What answers a
message stays in its thread: another \`threadId\` alone, or null, is refused; give \`inReplyTo\` too.
What changes nothing leaves \`version\` and \`updatedAt\` as they were. One that a member has sent
(\`scheduled\`) is changed only after it was held back, or has failed.`,
    input: UpdateDraft,
    output: DraftAnswer,
    rule: (input: UpdateDraft) => draftFaults(input),
    mailbox: 'write',
    unknownFields: 'ignore',
    problems: [
      'DRAFT_NOT_FOUND',
      'DRAFT_SCHEDULED',
      'CONVERSATION_NOT_FOUND',
      'MESSAGE_NOT_FOUND',
      'SIGNATURE_NOT_FOUND',
      'UPLOAD_NOT_FOUND',
      'ATTACHMENTS_TOO_LARGE',
      'QUOTA_EXCEEDED',
    ],
  }),
  remove: operation({
    http: 'DELETE /v1/drafts/:id',
    scope: 'drafts:write',
    summary: 'Remove a draft',
    input: RemoveDraft,
    output: DraftRemoved,
    mailbox: 'write',
    problems: ['DRAFT_NOT_FOUND', 'DRAFT_SENDING'],
  }),
});
