import { operationFunctions } from '@postroom/operations';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { InitAccess1765100000000 } from './1765100000000-init.js';
import { ApprovalsAccess1795510000000 } from './1795510000000-approvals.js';
import { StreamAccess1795510000001 } from './1795510000001-stream.js';
import { PublishedEventsAccess1795520000000 } from './1795520000000-published-events.js';
import { WorkingHoursAccess1795540000000 } from './1795540000000-working-hours.js';

/** The gateway's schema. */
export const accessSchema: ServiceSchema<'access'> = {
  name: 'access',
  migrations: [
    InitAccess1765100000000,
    ApprovalsAccess1795510000000,
    StreamAccess1795510000001,
    PublishedEventsAccess1795520000000,
    WorkingHoursAccess1795540000000,
  ],
  sql: [operationFunctions, new URL('../../src/', import.meta.url)],
};
