import { Module } from '@nestjs/common';
import { learntContacts } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { learnPage } from './learn-contacts.js';
import { MessageSendersHandlers } from './message-senders.js';

/** What the gateway brings of the directory when contacts beside mail are rebuilt. */
const LearntContactsHandlers = handlers(learntContacts, {
  learn: async (context, page) => {
    await learnPage(context, page);
    return { ok: true };
  },
});

@Module({ controllers: [LearntContactsHandlers, MessageSendersHandlers] })
export class ContactsModule {}
