import { mailQuotas, type MailQuotas, type Quota } from '@postroom/contracts';
import { handlers, usedOf } from '@postroom/operations';
import { MailConfig } from '../config.js';

/** What the settings of a workspace show of its mail. */
export const QuotasHandlers = handlers(mailQuotas, [MailConfig], (config) => ({
  read: async (context) => {
    const of = async (quota: keyof MailQuotas, limit: number): Promise<Quota> => ({
      limit,
      used: await usedOf(context, quota),
    });
    const [mailboxes, drafts, storedBytes, arrivingBytes] = await Promise.all([
      of('mailboxes', config.quotaMailboxes),
      of('drafts', config.quotaDrafts),
      of('storedBytes', config.quotaStoredBytes),
      of('arrivingBytes', config.quotaArrivingBytes),
    ]);
    return { mailboxes, drafts, storedBytes, arrivingBytes };
  },
}));
