import { Module, type DynamicModule } from '@nestjs/common';
import { AnalyticsModule } from './analytics/index.js';
import { AttachmentsModule } from './attachments/index.js';
import { AuditModule } from './audit/index.js';
import { ConversationsModule } from './conversations/index.js';
import { DraftsModule } from './drafts/index.js';
import { DlpModule } from './dlp/index.js';
import { ImportsModule } from './imports/index.js';
import { MailboxesModule } from './mailboxes/index.js';
import { ResourcesModule, type Resources } from './resources.js';
import { SearchModule } from './search/index.js';
import { SendsModule } from './sends/index.js';
import { SignaturesModule } from './signatures/index.js';

/** The mail service: operations on conversations and mailboxes. Mail comes in beside it (see `InboundThread`). */
@Module({})
export class MailModule {
  static from(resources: Resources): DynamicModule {
    return {
      module: MailModule,
      imports: [
        ResourcesModule.from(resources),
        AnalyticsModule,
        AttachmentsModule,
        AuditModule,
        ConversationsModule,
        DraftsModule,
        DlpModule,
        ImportsModule,
        MailboxesModule,
        SearchModule,
        SendsModule,
        SignaturesModule,
      ],
    };
  }
}
