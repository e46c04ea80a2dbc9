import { declareLimits } from '@postroom/limits';

export const limits = declareLimits('persistence', {
  connections: {
    bounds: 'connections of a service to the database',
    unit: 'places',
    total: 5,
    shares: { workspace: { timesFree: 3 } },
    waiting: {},
    full: { problem: 'SERVICE_UNAVAILABLE' },
    setting: 'DATABASE_POOL_SIZE',
  },
  parts: {
    bounds: 'parts of large bodies that are sent to S3 at a time',
    unit: 'places',
    total: 4,
    shares: { workspace: { timesFree: 3 } },
    waiting: {},
    full: { problem: 'SERVICE_UNAVAILABLE' },
  },
});
