import { operationFunctions } from '@postroom/operations';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { InitDirectory1795500000000 } from './1795500000000-init.js';
import { ApprovedByDirectory1795510000000 } from './1795510000000-approved-by.js';
import { PublishedEventsDirectory1795520000000 } from './1795520000000-published-events.js';
import { Merging1795520000000 } from './1795520000000-merging.js';
import { AuditDurationDirectory1795580000000 } from './1795580000000-audit-duration.js';
import { ReplayOfPublishedDirectory1795650000000 } from './1795650000000-replay-of-published.js';
import { TracesDirectory1795700000000 } from './1795700000000-traces.js';
import { QuotasDirectory1795720000000 } from './1795720000000-quotas.js';
import { DeletedBooks1795740000000 } from './1795740000000-deleted-books.js';

/** The service's schema. */
export const directorySchema: ServiceSchema<'directory'> = {
  name: 'directory',
  migrations: [
    InitDirectory1795500000000,
    ApprovedByDirectory1795510000000,
    PublishedEventsDirectory1795520000000,
    Merging1795520000000,
    AuditDurationDirectory1795580000000,
    ReplayOfPublishedDirectory1795650000000,
    TracesDirectory1795700000000,
    QuotasDirectory1795720000000,
    DeletedBooks1795740000000,
  ],
  sql: [operationFunctions, new URL('../../src/', import.meta.url)],
};
