import { declareLimits, declareRates } from '@postroom/limits';

/** Deliveries under way to the endpoints of one workspace. */
export const deliveriesPerWorkspace = 256;

export const limits = declareLimits('webhooks', {
  // The claim of deliveries that are due enforces it (claims.sql), beside a limit for each subscription.
  deliveries: {
    bounds: 'webhook deliveries that are under way; each subscription has a place in the share',
    unit: 'places',
    total: 1_024,
    shares: { workspace: deliveriesPerWorkspace },
    waiting: {},
    full: { problem: 'SERVICE_UNAVAILABLE' },
    setting: 'WEBHOOK_CONCURRENCY',
  },
  challenges: {
    bounds: 'URLs of agents that are asked at a time whether they want events, 8 s at most each',
    unit: 'places',
    total: 64,
    shares: { workspace: 4 },
    full: { problem: 'RATE_LIMITED', retryAfterSeconds: 10 },
  },
  feedWaits: {
    bounds: 'readers of the event feed that wait for an event',
    unit: 'places',
    total: 1_000,
    // A hundred for each workspace while two others have theirs.
    shares: { workspace: { timesFree: 0.15 } },
    full: { problem: 'RATE_LIMITED', retryAfterSeconds: 5 },
  },
});

export const rates = declareRates('webhooks', {
  eventSubscriptions: {
    bounds: 'subscriptions to events that the agent of a key asks for or refreshes',
    owner: 'caller',
    perMinute: 30,
    full: { problem: 'RATE_LIMITED' },
  },
});
