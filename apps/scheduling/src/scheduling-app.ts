import { Module } from '@nestjs/common';
import {
  createService,
  type ProcessParts,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { Database } from '@postroom/persistence';
import { AvailabilityHandlers } from './availability.handlers.js';
import { CalendarsHandlers, visibleCalendars } from './calendars.handlers.js';
import { EventsHandlers, Expansion, Windows } from './events/index.js';
import { LinkPagesHandlers } from './link-pages.handlers.js';
import { PersonsHandlers } from './persons.handlers.js';
import { TasksHandlers } from './tasks/index.js';
import { ExportHandlers, FeedStepsHandlers, ImportStepsHandlers } from './transfer/index.js';
import { purgeDeletedCalendars } from './stored-calendars.js';
import { SchedulingConfig } from './config.js';
import { InvitationStepsHandlers, receiveInvitations } from './invitations/index.js';
import { startReminders } from './reminders/index.js';
import { schedulingSchema } from './migrations/index.js';

@Module({
  controllers: [
    AvailabilityHandlers,
    CalendarsHandlers,
    EventsHandlers,
    ExportHandlers,
    FeedStepsHandlers,
    ImportStepsHandlers,
    InvitationStepsHandlers,
    LinkPagesHandlers,
    PersonsHandlers,
    TasksHandlers,
  ],
  providers: [Expansion, Windows],
})
class SchedulingModule {}

/** Builds the service from its configuration and a bus. */
export async function createSchedulingApp(
  config: SchedulingConfig,
  process: ProcessParts,
): Promise<Service> {
  const service = await createService({
    name: 'scheduling',
    config,
    process,
    quotas: { events: config.quotaEvents, tasks: config.quotaTasks },
    visible: visibleCalendars,
    jobs: [purgeDeletedCalendars],
    module: () => SchedulingModule,
  });
  let stops: readonly (() => Promise<void>)[] = [];
  return {
    ...service,
    async listen() {
      await service.listen();
      const database = service.get(Database);
      stops = [
        startReminders({ database, log: process.log }),
        await receiveInvitations(process.bus, database, service.get(Expansion)),
      ];
    },
    async close() {
      for (const stop of stops) await stop();
      await service.close();
    },
  };
}

/** Calendars, events, tasks and reminders. */
export const schedulingService: ServiceDefinition<SchedulingConfig> = {
  name: 'scheduling',
  config: SchedulingConfig,
  schema: schedulingSchema,
  create: createSchedulingApp,
  sendsRequests: false,
};
