import { Module } from '@nestjs/common';
import { AvailabilityModule } from './availability/index.js';
import { CalendarsModule } from './calendars/index.js';
import { EventsModule } from './events/index.js';
import { TasksModule } from './tasks/index.js';

/** The features of the service. */
@Module({ imports: [AvailabilityModule, CalendarsModule, EventsModule, TasksModule] })
export class SchedulingModule {}
