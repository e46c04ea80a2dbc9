import { Module } from '@nestjs/common';
import { EventsModule } from '../events/index.js';
import { AvailabilityHandlers } from './availability.handlers.js';

@Module({ imports: [EventsModule], controllers: [AvailabilityHandlers] })
export class AvailabilityModule {}
