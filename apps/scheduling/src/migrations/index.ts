import { operationFunctions } from '@postroom/operations';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { InitScheduling1795500000000 } from './1795500000000-init.js';
import { ApprovedByScheduling1795510000000 } from './1795510000000-approved-by.js';
import { PublishedEventsScheduling1795520000000 } from './1795520000000-published-events.js';

/** The service's schema. */
export const schedulingSchema: ServiceSchema<'scheduling'> = {
  name: 'scheduling',
  migrations: [
    InitScheduling1795500000000,
    ApprovedByScheduling1795510000000,
    PublishedEventsScheduling1795520000000,
  ],
  sql: [operationFunctions, new URL('../../src/', import.meta.url)],
};
