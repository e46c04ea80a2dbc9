import { Module } from '@nestjs/common';
import { ImportStepsHandlers, TransferHandlers } from './transfer.handlers.js';

@Module({ controllers: [TransferHandlers, ImportStepsHandlers] })
export class TransferModule {}
