import type { SealedColumn } from '@postroom/access';
import { operationFunctions, sealedFunctions } from '@postroom/operations';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { subscriptionSeals } from '../webhook-secrets.js';
import { InitWebhooks1795500000000 } from './1795500000000-init.js';
import { ApprovedByWebhooks1795510000000 } from './1795510000000-approved-by.js';
import { PublishedEventsWebhooks1795520000000 } from './1795520000000-published-events.js';
import { LeasesWebhooks1795530000000 } from './1795530000000-leases.js';
import { AuditDurationWebhooks1795580000000 } from './1795580000000-audit-duration.js';
import { ReplayOfPublishedWebhooks1795650000000 } from './1795650000000-replay-of-published.js';
import { TracesWebhooks1795700000000 } from './1795700000000-traces.js';
import { SealedColumnsWebhooks1795710000000 } from './1795710000000-sealed-columns.js';
import { QuotasWebhooks1795720000000 } from './1795720000000-quotas.js';

/** The columns in which the service seals secrets. */
export const webhooksSeals: readonly SealedColumn[] = Object.values(subscriptionSeals);

/** The service's schema. */
export const webhooksSchema: ServiceSchema<'webhooks'> = {
  name: 'webhooks',
  migrations: [
    InitWebhooks1795500000000,
    ApprovedByWebhooks1795510000000,
    PublishedEventsWebhooks1795520000000,
    LeasesWebhooks1795530000000,
    AuditDurationWebhooks1795580000000,
    ReplayOfPublishedWebhooks1795650000000,
    TracesWebhooks1795700000000,
    SealedColumnsWebhooks1795710000000,
    QuotasWebhooks1795720000000,
  ],
  sql: [operationFunctions, new URL('../../src/', import.meta.url)],
  made: [sealedFunctions(webhooksSeals)],
};
