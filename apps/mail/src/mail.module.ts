import { Module, type DynamicModule } from '@nestjs/common';
import { MessageParser } from '@postroom/mime';
import { AttachmentsModule } from './attachments/index.js';
import { ContactsModule } from './contacts/index.js';
import { ConversationsModule } from './conversations/index.js';
import { DraftsModule } from './drafts/index.js';
import { DlpModule } from './dlp/index.js';
import { DomainsModule } from './domains/index.js';
import { ImportsModule } from './imports/index.js';
import { LinksModule } from './links/index.js';
import { MailboxesModule } from './mailboxes/index.js';
import { SearchModule } from './search/index.js';
import { SendsModule } from './sends/index.js';
import { SignaturesModule } from './signatures/index.js';

/** The mail service: operations on conversations and mailboxes. Mail is received beside it (see `InboundThread`). */
@Module({
  imports: [
    AttachmentsModule,
    ContactsModule,
    ConversationsModule,
    DraftsModule,
    DlpModule,
    DomainsModule,
    ImportsModule,
    LinksModule,
    MailboxesModule,
    SearchModule,
    SendsModule,
    SignaturesModule,
  ],
})
export class MailModule {
  static from(parser: MessageParser): DynamicModule {
    const providers = [{ provide: MessageParser, useValue: parser }];
    return { module: MailModule, global: true, providers, exports: providers };
  }
}
