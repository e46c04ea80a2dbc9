import { purgeInbox } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/**
 * What the gateway forgets by itself: sessions that have ended, links past their seven days, leases, sign-in
 * attempts, notices taken.
 */
export const maintenanceJobs = [
  statement<object>('access.forget_ended', 'SELECT forget_ended()'),
  statement<object>('access.forget_leases', 'SELECT forget_leases()'),
  statement<{ purged: string }>(
    'access.forget_sign_in_attempts',
    'SELECT forget_sign_in_attempts() AS purged',
  ),
  purgeInbox,
];
