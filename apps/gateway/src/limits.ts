import { declareLimits, declareRates } from '@postroom/limits';

const mebi = 1024 * 1024;
const unavailable = { problem: 'SERVICE_UNAVAILABLE' } as const;
const tooMany = { problem: 'RATE_LIMITED', retryAfterSeconds: 10 } as const;

export const limits = declareLimits('gateway', {
  anonymousBodies: {
    bounds: 'bodies of strangers (sign-ins, invitations) that are read at a time, 5 s at most each',
    unit: 'places',
    total: 256,
    // Networks take turns: one whose bodies come slowly does not delay its site.
    shares: { network: 16, site: 64 },
    waiting: { total: 1_000, share: { timesFree: 1 } },
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
      'pieces of large bodies, stored answers, imports and audit chains that are worked on: some 2 ms each, half of the thread and 16 MiB a second at most',
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
  fileUploads: {
    bounds: 'files for drafts whose body is read at a time, a piece of each in memory',
    unit: 'places',
    total: 32,
    shares: { workspace: { timesFree: 0.4 } },
    full: tooMany,
  },
  streams: {
    bounds: 'streams of server-sent events that members have open',
    unit: 'places',
    total: 1_000,
    shares: { workspace: { timesFree: 1 }, caller: 10 },
    full: tooMany,
  },
  eventStreams: {
    bounds: 'streams of events that agents have open over MCP',
    unit: 'places',
    total: 500,
    shares: { workspace: { timesFree: 0.25 }, caller: 10 },
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
  oidcRequests: {
    bounds:
      'sign-ins with a provider that are offered, begun or finished at a time, of strangers yet',
    unit: 'places',
    total: 20,
    shares: { site: 10, network: 5 },
    waiting: { total: 100, share: 10 },
    full: unavailable,
  },
  clocks: {
    bounds: 'clocks of sandboxes that are moved at a time, each to its next stop',
    unit: 'places',
    total: 4,
    shares: { workspace: 1 },
    waiting: {},
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

const limited = { problem: 'RATE_LIMITED' } as const;

/** Each gateway counts for itself, and adds what the others have counted, but for sign-ins: the database does. */
export const rates = declareRates('gateway', {
  requests: {
    bounds: 'requests of a key that are no sends',
    owner: 'caller',
    perMinute: 120,
    full: limited,
    setting: 'RATE_LIMIT_PER_MINUTE',
  },
  sends: {
    bounds: 'sends of a key',
    owner: 'caller',
    perMinute: 10,
    full: limited,
    setting: 'SEND_RATE_LIMIT_PER_MINUTE',
  },
  memberRequests: {
    bounds: 'requests of a member',
    owner: 'caller',
    perMinute: 600,
    full: limited,
    setting: 'MEMBER_RATE_LIMIT_PER_MINUTE',
  },
  presences: {
    bounds: 'presences that a member tells',
    owner: 'caller',
    perMinute: 120,
    full: limited,
  },
  feedMisses: {
    bounds: 'addresses of no calendar feed that a network asks for',
    owner: 'network',
    perMinute: 30,
    full: limited,
  },
  failedSignIns: {
    bounds: 'failed sign-ins from a network',
    owner: 'network',
    perMinute: 50,
    full: limited,
  },
  failedSignInsToAccount: {
    bounds: 'failed sign-ins to an account, from all networks that no sign-in to it has come from',
    owner: 'account',
    perMinute: 30,
    full: limited,
  },
  failedSignInsToAccountFromNetwork: {
    bounds: 'failed sign-ins to an account from one network',
    owner: 'network',
    perMinute: 10,
    full: limited,
  },
  failedPasswordChanges: {
    bounds: 'present passwords of a member that were not right, in changes of the password',
    owner: 'account',
    perMinute: 10,
    full: limited,
  },
  failedProofs: {
    bounds:
      'second factors of a member, and passwords given to confirm something, that were not right',
    owner: 'account',
    perHour: 10,
    full: limited,
  },
  resets: {
    bounds: 'requests from a network for a link that resets a password',
    owner: 'network',
    perMinute: 20,
    full: limited,
  },
  resetsOfSite: {
    bounds: 'requests from a site for a link that resets a password',
    owner: 'site',
    perMinute: 60,
    full: limited,
  },
  resetsOfAccount: {
    bounds: 'requests for a link that resets the password of an address',
    owner: 'account',
    perMinute: 3,
    full: limited,
  },
  oidcSignIns: {
    bounds: 'sign-ins with a provider that a network begins',
    owner: 'network',
    perMinute: 60,
    full: limited,
  },
  oauthRequests: {
    bounds: 'requests of a network to the addresses of OAuth that need no session',
    owner: 'network',
    perMinute: 300,
    full: limited,
  },
  clientDocuments: {
    bounds: 'metadata documents of assistants that are read for a member',
    owner: 'caller',
    perMinute: 20,
    full: limited,
  },
  auditedRefusals: {
    bounds: 'refusals of a key that are audited',
    owner: 'caller',
    perMinute: 10,
    full: null,
  },
  auditedSignIns: {
    bounds: 'refused sign-ins in the name of a member that are audited',
    owner: 'account',
    perMinute: 1,
    full: null,
  },
});
