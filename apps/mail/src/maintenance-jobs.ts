import type { MaintenanceJob } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/**
 * What the mail service does by itself every minute: volumes that were written down are counted,
 * warnings that nobody has confirmed in time are forgotten, sends whose Idempotency-Key has had its
 * time, and what was kept of messages that never left.
 */
export const maintenanceJobs: readonly MaintenanceJob[] = [
  statement('analytics.fold_volumes', 'SELECT fold_volumes() AS forgotten'),
  statement('dlp.forget_warnings', 'SELECT forget_dlp_warnings() AS purged'),
  statement('sends.forget', 'SELECT forget_sends() AS purged'),
  statement('originals.forget_staged', 'SELECT forget_staged() AS purged'),
];
