import { declareLimits } from '@postroom/limits';

export const limits = declareLimits('scheduling', {
  expansions: {
    bounds: 'windows and series of events that are expanded at a time, in a thread',
    unit: 'places',
    total: 1,
    shares: { workspace: 1 },
    // More would not be expanded in time anyway.
    waiting: { total: 500, share: 50 },
    full: { problem: 'SERVICE_UNAVAILABLE' },
  },
});
