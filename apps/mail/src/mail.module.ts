import { Module, type DynamicModule } from '@nestjs/common';
import { ConversationsModule } from './conversations/index.js';
import { MailboxesModule } from './mailboxes/index.js';
import { ResourcesModule, type Resources } from './resources.js';

/** The mail service: operations on conversations and mailboxes. Mail comes in beside it (see `Intake`). */
@Module({})
export class MailModule {
  static from(resources: Resources): DynamicModule {
    return {
      module: MailModule,
      imports: [ResourcesModule.from(resources), ConversationsModule, MailboxesModule],
    };
  }
}
