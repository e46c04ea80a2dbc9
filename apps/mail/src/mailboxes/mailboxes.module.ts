import { Module } from '@nestjs/common';
import { MailServerTargets } from './mail-server-targets.js';
import { MailboxSecrets } from './mailbox-secrets.js';
import { MailboxesHandlers } from './mailboxes.handlers.js';

@Module({
  controllers: [MailboxesHandlers],
  providers: [MailboxSecrets, MailServerTargets],
  exports: [MailboxSecrets, MailServerTargets],
})
export class MailboxesModule {}
