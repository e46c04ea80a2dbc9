import { Module } from '@nestjs/common';
import { FeedStepsHandlers, ImportStepsHandlers, TransferHandlers } from './transfer.handlers.js';

@Module({ controllers: [FeedStepsHandlers, ImportStepsHandlers, TransferHandlers] })
export class TransferModule {}
