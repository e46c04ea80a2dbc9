import { operationFunctions } from '@postroom/operations';
import type { ServiceSchema } from '@postroom/persistence/provision';
import { InitScheduling1795500000000 } from './1795500000000-init.js';
import { ApprovedByScheduling1795510000000 } from './1795510000000-approved-by.js';
import { PublishedEventsScheduling1795520000000 } from './1795520000000-published-events.js';
import { AuditDurationScheduling1795580000000 } from './1795580000000-audit-duration.js';
import { RemindersScheduling1795610000000 } from './1795610000000-reminders.js';
import { InvitationsScheduling1795630000000 } from './1795630000000-invitations.js';
import { CalendarFeeds1795640000000 } from './1795640000000-calendar-feeds.js';
import { ReplayOfPublishedScheduling1795650000000 } from './1795650000000-replay-of-published.js';
import { TracesScheduling1795700000000 } from './1795700000000-traces.js';
import { QuotasScheduling1795720000000 } from './1795720000000-quotas.js';
import { DeletedCalendars1795730000000 } from './1795730000000-deleted-calendars.js';

/** The service's schema. */
export const schedulingSchema: ServiceSchema<'scheduling'> = {
  name: 'scheduling',
  migrations: [
    InitScheduling1795500000000,
    ApprovedByScheduling1795510000000,
    PublishedEventsScheduling1795520000000,
    AuditDurationScheduling1795580000000,
    RemindersScheduling1795610000000,
    InvitationsScheduling1795630000000,
    CalendarFeeds1795640000000,
    ReplayOfPublishedScheduling1795650000000,
    TracesScheduling1795700000000,
    QuotasScheduling1795720000000,
    DeletedCalendars1795730000000,
  ],
  sql: [operationFunctions, new URL('../../src/', import.meta.url)],
};
