import { Module } from '@nestjs/common';
import { CalendarsModule } from './calendars/index.js';
import { EventsModule } from './events/index.js';
import { TasksModule } from './tasks/index.js';

/** The features of the service. */
@Module({ imports: [CalendarsModule, EventsModule, TasksModule] })
export class SchedulingModule {}
