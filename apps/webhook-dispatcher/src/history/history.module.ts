import { Module } from '@nestjs/common';
import { DeliveriesHandlers } from './deliveries.handlers.js';

@Module({ controllers: [DeliveriesHandlers] })
export class HistoryModule {}
