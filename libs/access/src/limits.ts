import { declareLimits } from '@postroom/limits';

const waiting = { total: 100, share: { timesFree: 1 } } as const;
const full = { problem: 'SERVICE_UNAVAILABLE' } as const;

/**
 * Each hash holds 19 MiB and one thread of libuv's four, which file reads and DNS share: two at a time leave the rest to
 * the others. More than wait could only time out.
 */
export const limits = declareLimits('access', {
  strangersPasswords: {
    bounds:
      'passwords that are checked at a time for networks which no sign-in to the account has come from',
    unit: 'places',
    total: 1,
    shares: { site: 1 },
    waiting,
    full,
  },
  knownPasswords: {
    bounds:
      'passwords that are checked at a time for members at networks that they have signed in from, or that are set',
    unit: 'places',
    total: 1,
    shares: { caller: 1 },
    waiting,
    full,
  },
});
