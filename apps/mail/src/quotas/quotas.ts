import type { QuotaLimits } from '@postroom/operations';
import type { MailConfig } from '../config.js';

/** How much a workspace may have of what the mail service keeps. */
export const quotasOf = (config: MailConfig): QuotaLimits => ({
  mailboxes: config.quotaMailboxes,
  drafts: config.quotaDrafts,
  storedBytes: config.quotaStoredBytes,
  arrivingBytes: config.quotaArrivingBytes,
  comments: config.quotaComments,
});
