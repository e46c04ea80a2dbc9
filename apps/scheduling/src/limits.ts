import { declareLimits } from '@postroom/limits';

const full = { problem: 'SERVICE_UNAVAILABLE' } as const;

export const limits = declareLimits('scheduling', {
  windows: {
    bounds: 'windows of events that are read at a time, of 8 MiB each at most',
    unit: 'places',
    total: 8,
    shares: { workspace: { timesFree: 1 } },
    waiting: { total: 500, share: { timesFree: 1 } },
    full,
  },
  expansions: {
    bounds: 'windows and series of events that are expanded at a time, in a thread',
    unit: 'places',
    total: 1,
    shares: { workspace: 1 },
    // More would not be expanded in time anyway.
    waiting: { total: 500, share: 50 },
    full,
  },
});
