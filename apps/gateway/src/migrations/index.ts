import type { SealedColumn } from '@postroom/access';
import { operationFunctions, sealedFunctions } from '@postroom/operations';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { receiptKeySeal } from '../approvals/plain.js';
import { InitAccess1765100000000 } from './1765100000000-init.js';
import { ApprovalsAccess1795510000000 } from './1795510000000-approvals.js';
import { StreamAccess1795510000001 } from './1795510000001-stream.js';
import { PublishedEventsAccess1795520000000 } from './1795520000000-published-events.js';
import { WorkingHoursAccess1795540000000 } from './1795540000000-working-hours.js';
import { ApprovalClientAccess1795570000000 } from './1795570000000-approval-client.js';
import { AuditDurationAccess1795580000000 } from './1795580000000-audit-duration.js';
import { KnownNetworksAccess1795650000000 } from './1795650000000-known-networks.js';
import { ReplayOfPublishedAccess1795650000000 } from './1795650000000-replay-of-published.js';
import { AnsweredCodesAccess1795660000000 } from './1795660000000-answered-codes.js';
import { ToldRequestsAccess1795670000000 } from './1795670000000-told-requests.js';
import { TracesAccess1795700000000 } from './1795700000000-traces.js';
import { SealedColumnsAccess1795710000000 } from './1795710000000-sealed-columns.js';
import { AuditKeysAccess1795710000001 } from './1795710000001-audit-keys.js';
import { QuotasAccess1795720000000 } from './1795720000000-quotas.js';

/** What the service encrypts for. */
export const accessSeals: readonly SealedColumn[] = [receiptKeySeal];

/** The gateway's schema. */
export const accessSchema: ServiceSchema<'access'> = {
  name: 'access',
  migrations: [
    InitAccess1765100000000,
    ApprovalsAccess1795510000000,
    StreamAccess1795510000001,
    PublishedEventsAccess1795520000000,
    WorkingHoursAccess1795540000000,
    ApprovalClientAccess1795570000000,
    AuditDurationAccess1795580000000,
    KnownNetworksAccess1795650000000,
    ReplayOfPublishedAccess1795650000000,
    AnsweredCodesAccess1795660000000,
    ToldRequestsAccess1795670000000,
    TracesAccess1795700000000,
    SealedColumnsAccess1795710000000,
    AuditKeysAccess1795710000001,
    QuotasAccess1795720000000,
  ],
  sql: [operationFunctions, new URL('../../src/', import.meta.url)],
  made: [sealedFunctions(accessSeals)],
};
