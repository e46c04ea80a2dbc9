import type { MaintenanceJob } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/**
 * What the mail service does by itself every minute: volumes that were written down are counted, and
 * warnings that nobody has confirmed in time are deleted, sends whose Idempotency-Key has had its time,
 * and what was kept of messages that never left.
 */
export const maintenanceJobs: readonly MaintenanceJob[] = [
  statement('analytics.fold_volumes', 'SELECT fold_volumes() AS purged'),
  statement('dlp.purge_warnings', 'SELECT purge_dlp_warnings() AS purged'),
  statement('sends.purge', 'SELECT purge_sends() AS purged'),
  statement('originals.purge_staged', 'SELECT purge_staged() AS purged'),
];
