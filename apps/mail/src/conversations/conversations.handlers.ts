import { Controller } from '@nestjs/common';
import {
  conversations,
  triage,
  type ArchiveAnswer,
  type ArchiveConversation,
  type AssignAnswer,
  type AssignConversation,
  type CommentAnswer,
  type CommentOnConversation,
  type ConversationAnswer,
  type ConversationPage,
  type GetConversation,
  type LabelAnswer,
  type LabelConversation,
  type ListConversations,
  type ReopenAnswer,
  type ReopenConversation,
  type SnoozeAnswer,
  type SnoozeConversation,
} from '@postroom/contracts';
import { Handles, type Reading, type Writing } from '@postroom/operations';
import { addComment } from './add-comment.js';
import { assignConversation } from './assign-conversation.js';
import { ConversationPages } from './conversation-pages.js';
import { labelConversation } from './label-conversation.js';
import { placeConversation } from './place-conversation.js';
import { snoozeConversation } from './snooze-conversation.js';
import { wholeConversation } from './whole-conversation.js';

/** Conversations of a shared mailbox; one outside the mailbox that is named does not exist. */
@Controller()
export class ConversationsHandlers {
  constructor(private readonly pages: ConversationPages) {}

  @Handles(conversations.list)
  list(context: Reading, input: ListConversations): Promise<ConversationPage> {
    return this.pages.read(context, input);
  }

  @Handles(conversations.get)
  async get(context: Reading, input: GetConversation): Promise<ConversationAnswer> {
    return { mailbox: input.mailbox, conversation: await wholeConversation(context, input) };
  }

  @Handles(conversations.archive)
  async archive(
    context: Writing<typeof conversations.archive>,
    input: ArchiveConversation,
  ): Promise<ArchiveAnswer> {
    await placeConversation(context, input, { from: 'inbox', to: 'archived' });
    return { ok: true, id: input.id, result: { action: 'archive', applied: true } };
  }

  @Handles(conversations.reopen)
  async reopen(
    context: Writing<typeof conversations.reopen>,
    input: ReopenConversation,
  ): Promise<ReopenAnswer> {
    await placeConversation(context, input, { from: 'archived', to: 'inbox' });
    return { ok: true, id: input.id, result: { action: 'reopen', applied: true, inbox: true } };
  }

  @Handles(conversations.comment)
  async comment(
    context: Writing<typeof conversations.comment>,
    input: CommentOnConversation,
  ): Promise<CommentAnswer> {
    return { ok: true, id: input.id, result: await addComment(context, input) };
  }

  @Handles(triage.assign)
  async assign(
    context: Writing<typeof triage.assign>,
    input: AssignConversation,
  ): Promise<AssignAnswer> {
    return { ok: true, id: input.id, result: await assignConversation(context, input) };
  }

  @Handles(triage.label)
  async label(
    context: Writing<typeof triage.label>,
    input: LabelConversation,
  ): Promise<LabelAnswer> {
    return { ok: true, id: input.id, result: await labelConversation(context, input) };
  }

  @Handles(triage.snooze)
  async snooze(
    context: Writing<typeof triage.snooze>,
    input: SnoozeConversation,
  ): Promise<SnoozeAnswer> {
    return { ok: true, id: input.id, result: await snoozeConversation(context, input) };
  }
}
