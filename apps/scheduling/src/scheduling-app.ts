import {
  createService,
  type ProcessParts,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { visibleCalendars } from './calendars/index.js';
import { SchedulingConfig } from './config.js';
import { SchedulingModule } from './scheduling.module.js';
import { schedulingSchema } from './migrations/index.js';

/** Builds the service from its configuration and a bus. */
export const createSchedulingApp = (
  config: SchedulingConfig,
  process: ProcessParts,
): Promise<Service> =>
  createService({
    name: 'scheduling',
    config,
    process,
    visible: visibleCalendars,
    module: () => SchedulingModule,
  });

/** Calendars, events, tasks and reminders. */
export const schedulingService: ServiceDefinition<SchedulingConfig> = {
  name: 'scheduling',
  config: SchedulingConfig,
  schema: schedulingSchema,
  create: createSchedulingApp,
  sendsRequests: false,
};
