import { Module } from '@nestjs/common';
import { EventsHandlers } from './events.handlers.js';

@Module({ controllers: [EventsHandlers] })
export class EventsModule {}
