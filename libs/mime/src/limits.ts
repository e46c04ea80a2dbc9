import { declareLimits } from '@postroom/limits';

export const limits = declareLimits('mime', {
  parsing: {
    bounds:
      'messages that are parsed at a time, in threads; workspaces that receive get the same bytes of it',
    unit: 'places',
    total: 2,
    shares: { workspace: 2 },
    waiting: {},
    full: { problem: 'SERVICE_UNAVAILABLE' },
  },
});
