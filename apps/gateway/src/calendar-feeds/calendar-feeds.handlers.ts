import { calendarFeeds, feedSteps, type Done, type FeedSecret } from '@postroom/contracts';
import { handlers } from '@postroom/operations';
import { ServiceCalls } from '../calls/index.js';
import { GatewayConfig } from '../config.js';
import { feedUrl } from './feed-address.js';

/** Scheduling keeps the secret, the gateway knows the address that it is a part of. */
export const CalendarFeedsHandlers = handlers(
  calendarFeeds,
  [ServiceCalls, GatewayConfig],
  (calls, { publicUrl }) => ({
    make: {
      prepare: async ({ caller, requestId, tenantId }, { id: calendarId }) => {
        const operation = feedSteps.make;
        const answer = await calls.make({ operation, caller, input: { calendarId }, requestId });
        const { secret } = JSON.parse(answer.body.toString()) as FeedSecret;
        return () => Promise.resolve({ url: feedUrl(publicUrl, { tenantId, secret }) });
      },
    },

    revoke: {
      prepare: async ({ caller, requestId }, { id: calendarId }) => {
        const operation = feedSteps.revoke;
        const answer = await calls.make({ operation, caller, input: { calendarId }, requestId });
        const done = JSON.parse(answer.body.toString()) as Done;
        return () => Promise.resolve(done);
      },
    },
  }),
);
