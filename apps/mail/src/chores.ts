import type { Chore } from '@postroom/operations';
import { statement } from '@postroom/persistence';

/**
 * What the mail service does by itself every minute: volumes that were written down are counted, and
 * warnings that nobody has confirmed in time are forgotten.
 */
export const chores: readonly Chore[] = [
  statement('analytics.fold_volumes', 'SELECT fold_volumes() AS forgotten'),
  statement('dlp.forget_warnings', 'SELECT forget_dlp_warnings() AS forgotten'),
];
