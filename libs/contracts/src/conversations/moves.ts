import { Count, Flag, OneOf, Part } from '../fields/index.js';
import { family, operation } from '../operation.js';
import { ConversationLease, placements, type Placement } from './conversation.js';
import { ChangeConversation, ChangedVersion, GetConversation, TriageAnswer } from './operations.js';

/** Input of read. */
export class MarkConversation extends ChangeConversation {
  @Flag('Whether it is to be unread; false marks it as read.', { default: false })
  unread!: boolean;
}

/** Input of move. */
export class MoveConversation extends ChangeConversation {
  @OneOf(placements, 'Where it is to be kept.')
  placement!: Placement;
}

/** Input of lease. */
export class LeaseConversation extends GetConversation {
  @Count('For how long, in seconds; ten minutes when absent.', { min: 1, max: 600, default: 600 })
  seconds!: number;

  @Flag('Gives it back instead.', { default: false })
  release!: boolean;
}

/** Answer of lease. */
export class LeaseAnswer extends TriageAnswer {
  @Part(() => ConversationLease, 'The lease; null when it was given back.', { nullable: true })
  result!: ConversationLease | null;
}

/** Result of read. */
export class MarkResult extends ChangedVersion {
  @Flag('Whether it is unread now, for everybody who reads the mailbox.')
  unread!: boolean;

  @Flag('False when it was so before.')
  changed!: boolean;
}

/** Result of move. */
export class MoveResult extends ChangedVersion {
  @OneOf(placements, 'Where it is kept now.')
  placement!: Placement;

  @Flag('False when it was there before.')
  changed!: boolean;
}

/** Answer of read. */
export class MarkAnswer extends TriageAnswer {
  @Part(() => MarkResult, 'What was done.')
  result!: MarkResult;
}

/** Answer of move. */
export class MoveAnswer extends TriageAnswer {
  @Part(() => MoveResult, 'What was done.')
  result!: MoveResult;
}

/** Changes of a conversation that have no public event (`decisions.md` §4). */
export const moves = family('mail', 'conversations', {
  read: operation({
    http: 'POST /v1/conversations/:id/read',
    scope: 'write:conversations',
    addition: true,
    summary: 'Mark a conversation as read or unread, for the whole mailbox',
    input: MarkConversation,
    output: MarkAnswer,
    mailbox: 'write',
    problems: ['CONVERSATION_NOT_FOUND'],
  }),
  move: operation({
    http: 'POST /v1/conversations/:id/move',
    scope: 'write:conversations',
    addition: true,
    summary: 'Move a conversation to the inbox, the archive, trash or spam',
    description: `What has been in trash or spam for 30 days (the operator's \`TRASH_DAYS\`), and has received nothing
since, is deleted for good, with its messages, comments and drafts.`,
    input: MoveConversation,
    output: MoveAnswer,
    mailbox: 'write',
    problems: ['CONVERSATION_NOT_FOUND'],
  }),
  lease: operation({
    http: 'POST /v1/conversations/:id/lease',
    effect: 'read',
    scope: 'read:conversations',
    addition: true,
    summary: 'Say that one is answering a conversation, for ten minutes at most',
    description: `So that two agents, or an agent and a person, do not answer twice. It keeps nobody from writing: who
holds it is told in \`leasedBy\`, and another key is refused it meanwhile. A member takes it over.`,
    input: LeaseConversation,
    output: LeaseAnswer,
    mailbox: 'read',
    problems: ['CONVERSATION_NOT_FOUND', 'CONVERSATION_LEASED'],
  }),
});
