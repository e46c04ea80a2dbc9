import { declareLimits } from '@postroom/limits';

const oneOfTwo = { workspace: { timesFree: 1 } } as const;
const full = { problem: 'SERVICE_UNAVAILABLE' } as const;

export const limits = declareLimits('operations', {
  calls: {
    bounds: 'calls of operations that a service has made and that are not answered',
    unit: 'places',
    total: 1_000,
    shares: oneOfTwo,
    full,
  },
  longCalls: {
    bounds:
      'calls of operations with a deadline over 10 s, that are not answered: they may wait for somebody outside: sends for a mail server, readers of the event feed for an event',
    unit: 'places',
    total: 1_000,
    shares: oneOfTwo,
    full,
  },
  handlers: {
    bounds: 'operations that a service runs at a time',
    unit: 'places',
    total: 128,
    shares: oneOfTwo,
    waiting: { total: 2_000, share: { timesFree: 1 } },
    full,
  },
  longHandlers: {
    bounds:
      'operations with a deadline over 10 s that a service runs at a time; they hold no other handler',
    unit: 'places',
    total: 1_000,
    shares: oneOfTwo,
    full,
  },
});
