import { Module } from '@nestjs/common';
import { EventsHandlers } from './events.handlers.js';
import { Expansion } from './expansion.js';

@Module({ controllers: [EventsHandlers], providers: [Expansion], exports: [Expansion] })
export class EventsModule {}
