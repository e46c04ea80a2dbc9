import type { MaintenanceJob } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/**
 * What the mail service runs every minute: it purges warnings that nobody has confirmed in time, sends whose Idempotency-Key has expired, and what was kept of messages
 * that never left.
 */
export const maintenanceJobs: readonly MaintenanceJob[] = [
  statement('dlp.purge_warnings', 'SELECT purge_dlp_warnings() AS purged'),
  statement('sends.purge', 'SELECT purge_sends() AS purged'),
  statement('originals.purge_staged', 'SELECT purge_staged() AS purged'),
];
