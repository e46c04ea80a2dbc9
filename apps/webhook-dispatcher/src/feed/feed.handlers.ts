import { feed, typesAsked } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { WebhooksConfig } from '../config.js';
import { coveredTypes } from './covered-types.js';
import { FeedWaits } from './feed-waits.js';
import { pageAfter, placeAfter } from './stored-feed.js';

/** Left of the deadline for the answer's way back. */
const spareMs = 3_000;
const dayMs = 24 * 3_600_000;

/** The feed, for the gateway, which asks whose books and calendars may be seen. */
export const FeedHandlers = handlers(feed, [WebhooksConfig, FeedWaits], (config, waits) => ({
  read: async (context, input) => {
    const { caller, tenantId, deadlineMs } = context;
    const keptSinceMs = Date.now() - config.webhookEventDays * dayMs;
    const position = await placeAfter(context, input.after, keptSinceMs);
    const view = {
      types: coveredTypes(caller, typesAsked(input)),
      mailboxes: caller.type === 'key' ? Object.keys(caller.grants) : [],
      limit: input.limit,
    };
    const endMs = Math.min(Date.now() + input.wait * 1000, deadlineMs - spareMs);
    const look = () => pageAfter(context, position, view);
    const page = await waits.until(tenantId, endMs, look, ({ events }) => events.length > 0);
    return { ...page, nextAfter: page.nextAfter ?? input.after ?? null };
  },
}));
