import { Module } from '@nestjs/common';
import { InboundModule } from '../inbound/index.js';
import { MailDrop } from './mail-drop.js';
import { Recipients } from './recipients.js';
import { SmtpListener } from './smtp-listener.js';

@Module({ imports: [InboundModule], providers: [MailDrop, Recipients, SmtpListener] })
export class SmtpModule {}
