import { declareLimits } from '@postroom/limits';

export const limits = declareLimits('webhooks', {
  feedWaits: {
    bounds: 'readers of the event feed that wait for an event',
    unit: 'places',
    total: 1_000,
    // A hundred for each workspace while two others have theirs.
    shares: { workspace: { timesFree: 0.15 } },
    full: { problem: 'RATE_LIMITED', retryAfterSeconds: 5 },
  },
});
