import { Module } from '@nestjs/common';
import { MailboxSecrets } from './mailbox-secrets.js';
import { MailboxesHandlers } from './mailboxes.handlers.js';

@Module({
  controllers: [MailboxesHandlers],
  providers: [MailboxSecrets],
  exports: [MailboxSecrets],
})
export class MailboxesModule {}
