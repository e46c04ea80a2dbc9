import { Module } from '@nestjs/common';
import { ConversationPages } from './conversation-pages.js';
import { ConversationReads } from './conversation-reads.js';
import { ConversationsHandlers } from './conversations.handlers.js';
import { TriageHandlers } from './triage.handlers.js';

@Module({
  controllers: [ConversationsHandlers, TriageHandlers],
  providers: [ConversationPages, ConversationReads],
})
export class ConversationsModule {}
