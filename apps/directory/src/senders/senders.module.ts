import { Module } from '@nestjs/common';
import { SendersHandlers } from './senders.handlers.js';

@Module({ controllers: [SendersHandlers] })
export class SendersModule {}
