import { declareLimits } from '@postroom/limits';

export const limits = declareLimits('bus', {
  largeRequests: {
    bounds: 'requests with a body over 256 KiB that a process has sent, each megabytes of memory',
    unit: 'places',
    total: 100,
    shares: { workspace: { timesFree: 1 } },
    full: { problem: 'SERVICE_UNAVAILABLE' },
  },
  eventHandlers: {
    bounds: 'events that a consumer handles at a time, between processes',
    unit: 'places',
    total: 128,
    shares: { workspace: { timesFree: 3 } },
    waiting: {},
    full: { problem: 'SERVICE_UNAVAILABLE' },
  },
});
