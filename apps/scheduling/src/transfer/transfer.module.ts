import { Module } from '@nestjs/common';
import { EventsModule } from '../events/index.js';
import { FeedStepsHandlers, ImportStepsHandlers, TransferHandlers } from './transfer.handlers.js';

@Module({
  imports: [EventsModule],
  controllers: [FeedStepsHandlers, ImportStepsHandlers, TransferHandlers],
})
export class TransferModule {}
