import { Module } from '@nestjs/common';
import { DlpModule } from '../dlp/index.js';
import { OutgoingModule } from '../outgoing/index.js';
import { Attempts } from './attempts.js';
import { Preparation } from './preparation.js';
import { ReceiptCache } from './receipt-cache.js';
import { Sender } from './sender.js';
import { SendsHandlers } from './sends.handlers.js';
import { UnknownSends } from './unknown-sends.js';

@Module({
  imports: [DlpModule, OutgoingModule],
  controllers: [SendsHandlers],
  providers: [Attempts, Preparation, ReceiptCache, Sender, UnknownSends],
})
export class SendsModule {}
