import { statement } from '@postroom/persistence';

/**
 * The gateway deletes by itself: sessions that have ended, links past their seven days, leases,
 * request counts, sign-in attempts, and from where members have signed in.
 */
export const maintenanceJobs = [
  statement<object>('access.purge_sign_ins', 'SELECT purge_sign_ins()'),
  statement<object>('access.purge_leases', 'SELECT purge_leases()'),
  statement<object>('access.purge_request_counts', 'SELECT purge_request_counts()'),
  statement<{ purged: string }>(
    'access.purge_sign_in_attempts',
    'SELECT purge_sign_in_attempts() AS purged',
  ),
  statement<{ purged: string }>(
    'access.purge_known_networks',
    'SELECT purge_known_networks() AS purged',
  ),
  statement<{ purged: string }>(
    'access.purge_used_challenges',
    'SELECT purge_used_challenges() AS purged',
  ),
  statement<{ purged: string }>('access.purge_stream', 'SELECT purge_stream() AS purged'),
  statement<{ purged: string }>('access.purge_approvals', 'SELECT purge_approvals() AS purged'),
  statement<{ purged: string }>(
    'access.purge_refused_writes',
    'SELECT purge_refused_writes() AS purged',
  ),
  statement<object>('access.purge_oauth', 'SELECT purge_oauth()'),
  statement<object>('access.purge_receipt_keys', 'SELECT purge_receipt_keys()'),
];
