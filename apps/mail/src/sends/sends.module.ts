import { Module } from '@nestjs/common';
import { DlpModule } from '../dlp/index.js';
import { OutgoingModule } from '../outgoing/index.js';
import { Attempts } from './attempts.js';
import { Preparation } from './preparation.js';
import { ReceiptCache } from './receipt-cache.js';
import { Sender } from './sender.js';
import { SendsHandlers, UnknownSendsHandlers } from './sends.handlers.js';
import { SettleSends } from './settle-send.js';
import { UnknownSends } from './unknown-sends.js';

@Module({
  imports: [DlpModule, OutgoingModule],
  controllers: [SendsHandlers, UnknownSendsHandlers],
  providers: [Attempts, Preparation, ReceiptCache, Sender, SettleSends, UnknownSends],
})
export class SendsModule {}
