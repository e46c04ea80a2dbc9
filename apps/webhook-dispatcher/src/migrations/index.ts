import { operationFunctions } from '@postroom/operations';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { InitWebhooks1795500000000 } from './1795500000000-init.js';
import { ApprovedByWebhooks1795510000000 } from './1795510000000-approved-by.js';
import { PublishedEventsWebhooks1795520000000 } from './1795520000000-published-events.js';

/** The service's schema. */
export const webhooksSchema: ServiceSchema<'webhooks'> = {
  name: 'webhooks',
  migrations: [
    InitWebhooks1795500000000,
    ApprovedByWebhooks1795510000000,
    PublishedEventsWebhooks1795520000000,
  ],
  sql: [operationFunctions, new URL('../../src/', import.meta.url)],
};
