import { Module } from '@nestjs/common';
import { MailboxesModule } from '../mailboxes/index.js';
import { MessageComposer } from './message-composer.js';
import { Transport } from './transport.js';

@Module({
  imports: [MailboxesModule],
  providers: [MessageComposer, Transport],
  exports: [MessageComposer, Transport],
})
export class OutgoingModule {}
