import { Module } from '@nestjs/common';
import { ConversationPages } from './conversation-pages.js';
import { ConversationsHandlers } from './conversations.handlers.js';

@Module({ controllers: [ConversationsHandlers], providers: [ConversationPages] })
export class ConversationsModule {}
