import { declareLimits } from '@postroom/limits';

const mebi = 1024 * 1024;
const unavailable = { problem: 'SERVICE_UNAVAILABLE' } as const;
const tooMany = { problem: 'RATE_LIMITED', retryAfterSeconds: 10 } as const;

export const limits = declareLimits('gateway', {
  anonymousBodies: {
    bounds: 'bodies of strangers (sign-ins, invitations) that are read at a time, 5 s at most each',
    unit: 'places',
    total: 256,
    shares: { site: 64, network: 16 },
    full: unavailable,
  },
  unreadAnswers: {
    bounds: 'bytes of answers over 64 KiB that their clients have not read yet',
    unit: 'bytes',
    total: 128 * mebi,
    shares: { workspace: { timesFree: 1 }, caller: 32 * mebi },
    full: unavailable,
  },
  pieces: {
    bounds:
      'pieces of large bodies, imports and audit chains that are worked on: some 2 ms each, half of the thread and 16 MiB a second at most',
    unit: 'places',
    total: 1,
    shares: { workspace: 1 },
    waiting: {},
    full: unavailable,
  },
  mailImports: {
    bounds:
      'imports of mail whose body is read at a time; each may hold several copies of a message of 50 MiB',
    unit: 'places',
    total: 8,
    // Two for one workspace, and one for each of four more while two have theirs.
    shares: { workspace: { timesFree: 0.4 } },
    full: { problem: 'TOO_MANY_IMPORTS' },
  },
  entryImports: {
    bounds: 'imports of contacts and events whose body is read at a time',
    unit: 'places',
    total: 8,
    shares: { workspace: { timesFree: 0.4 } },
    full: { problem: 'TOO_MANY_IMPORTS' },
  },
  streams: {
    bounds: 'streams of server-sent events that members have open',
    unit: 'places',
    total: 1_000,
    shares: { workspace: { timesFree: 1 }, caller: 10 },
    full: tooMany,
  },
  feedLookups: {
    bounds: 'calendar feeds that are looked up at a time, by their secret address alone',
    unit: 'places',
    total: 10,
    shares: { site: 10, network: 10 },
    waiting: { total: 200, share: 20 },
    full: unavailable,
  },
  auditChecks: {
    bounds: 'steps of audit verifications that run at a time',
    unit: 'places',
    total: 8,
    shares: { workspace: 1 },
    waiting: { total: 200, share: { timesFree: 1 } },
    full: unavailable,
  },
});
