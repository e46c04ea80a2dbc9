import { Module } from '@nestjs/common';
import { InboundModule } from '../inbound/index.js';
import { MailDrop } from './mail-drop.js';
import { Recipients } from './recipients.js';
import { MailListeners } from './mail-listeners.js';

@Module({ imports: [InboundModule], providers: [MailDrop, Recipients, MailListeners] })
export class SmtpModule {}
