import { Module } from '@nestjs/common';
import { AvailabilityModule } from './availability/index.js';
import { CalendarsModule } from './calendars/index.js';
import { EventsModule } from './events/index.js';
import { LinkPagesModule } from './link-pages/index.js';
import { TasksModule } from './tasks/index.js';
import { TransferModule } from './transfer/index.js';

/** The features of the service. */
@Module({
  imports: [
    AvailabilityModule,
    CalendarsModule,
    EventsModule,
    LinkPagesModule,
    TasksModule,
    TransferModule,
  ],
})
export class SchedulingModule {}
