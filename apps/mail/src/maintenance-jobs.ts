import type { MaintenanceJob } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/**
 * What the mail service runs every minute: it purges warnings that nobody has confirmed in time, sends whose
 * Idempotency-Key has expired, what was kept of messages that never left, mailboxes that were deleted 30 days ago,
 * and what was counted of mail that arrived on earlier days.
 */
export const maintenanceJobs: readonly MaintenanceJob[] = [
  statement('dlp.purge_warnings', 'SELECT purge_dlp_warnings() AS purged'),
  statement('sends.purge', 'SELECT purge_sends() AS purged'),
  statement('mailboxes.purge', 'SELECT purge_mailboxes() AS purged'),
  statement('originals.purge_staged', 'SELECT purge_staged() AS purged'),
  statement('quotas.purge_arrivals', 'SELECT purge_arrivals() AS purged'),
];
