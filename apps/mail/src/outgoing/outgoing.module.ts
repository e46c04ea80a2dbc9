import { Module } from '@nestjs/common';
import { MailboxesModule } from '../mailboxes/index.js';
import { Transport } from './transport.js';

@Module({ imports: [MailboxesModule], providers: [Transport], exports: [Transport] })
export class OutgoingModule {}
