import { declareLimits } from '@postroom/limits';

const mebi = 1024 * 1024;
const unavailable = { problem: 'SERVICE_UNAVAILABLE' } as const;

export const limits = declareLimits('mail', {
  sends: {
    bounds: 'sends whose callers wait for a mail server',
    unit: 'places',
    total: 512,
    shares: { workspace: { timesFree: 1 } },
    full: { problem: 'OUTGOING_UNAVAILABLE' },
  },
  sendBytes: {
    bounds:
      'bytes of messages over 1 MiB that are being sent; several copies of each are in memory',
    unit: 'bytes',
    total: 48 * mebi,
    shares: { workspace: { timesFree: 3 } },
    waiting: {},
    full: unavailable,
  },
  serverConnections: {
    bounds: 'connections to one mail server that messages are handed to',
    unit: 'places',
    total: 5,
    shares: { workspace: { timesFree: 3 } },
    waiting: {},
    full: unavailable,
    setting: 'OUTGOING_CONNECTIONS_MAX',
  },
  composing: {
    bounds:
      'messages that are composed at a time, those over 16 KiB in one thread and shorter ones in another',
    unit: 'places',
    total: 1,
    shares: { workspace: 1 },
    waiting: {},
    full: unavailable,
  },
  judgements: {
    bounds: 'messages that DLP rules are tried on at a time, in a thread',
    unit: 'places',
    total: 1,
    shares: { workspace: 1 },
    // More than these could not be judged in time.
    waiting: { total: 1_000, share: 500 },
    full: unavailable,
  },
  largeConversations: {
    bounds: 'conversations of megabytes that are read at a time',
    unit: 'places',
    total: 1,
    shares: { workspace: 1 },
    waiting: { total: 256, share: 32 },
    full: unavailable,
  },
  largeFiles: {
    bounds:
      'parts of large attachments and messages that are read at a time: more would delay lists',
    unit: 'places',
    total: 2,
    shares: { workspace: 1 },
    // Each is of a download that would break off.
    waiting: { total: 1_000, share: { timesFree: 1 } },
    full: unavailable,
  },
  remoteImages: {
    bounds:
      'images that messages name and that are fetched at a time, of 5 MiB and 8 s at most each',
    unit: 'places',
    total: 16,
    shares: { workspace: { timesFree: 1 } },
    waiting: { total: 512, share: { timesFree: 1 } },
    full: unavailable,
  },
  deliveries: {
    bounds:
      'received messages that are stored at a time; look-ups of mailboxes have two more connections',
    unit: 'places',
    total: 8,
    shares: { workspace: 8 },
    waiting: {},
    full: { reply: '451 4.3.0' },
    setting: 'DATABASE_POOL_SIZE',
  },
  mailboxesRead: {
    bounds: 'mailboxes that are read from accounts elsewhere, with a connection each',
    unit: 'places',
    total: 200,
    shares: { workspace: { timesFree: 3 } },
    full: unavailable,
    setting: 'MAILBOXES_PER_PROCESS',
  },
  mailboxHistories: {
    bounds: 'pieces of the history of such mailboxes that are read at a time, of 4 MiB as a rule',
    unit: 'places',
    total: 2,
    shares: { workspace: 1 },
    waiting: {},
    full: unavailable,
    setting: 'IMAP_HISTORY_SHARE',
  },
  mailboxArrivals: {
    bounds: 'pieces of new mail of such mailboxes that are read at a time',
    unit: 'places',
    total: 4,
    shares: { workspace: { timesFree: 1 } },
    waiting: {},
    full: unavailable,
  },
  mailboxBytes: {
    // A number: where one may have what is free, a large message that comes slowly would keep all others waiting.
    bounds:
      'bytes of messages of such mailboxes that are fetched and stored; a larger message counts as a share',
    unit: 'bytes',
    total: 24 * mebi,
    shares: { workspace: 8 * mebi },
    waiting: {},
    full: unavailable,
  },
  accountTests: {
    bounds: 'accounts that are tested at a time, with a connection to each server',
    unit: 'places',
    total: 16,
    shares: { workspace: 2 },
    full: unavailable,
  },
  smtpConnections: {
    bounds: 'connections of clients that deliver mail',
    unit: 'places',
    total: 100,
    // A relay may bring all mail.
    shares: { site: { timesFree: 3 }, network: { timesFree: 3 } },
    full: { reply: '421 4.7.0' },
    setting: 'SMTP_CLIENTS_MAX',
  },
  arrivingBytes: {
    bounds: 'bytes of messages that are arriving or are stored',
    unit: 'bytes',
    total: 128 * mebi,
    shares: { site: { timesFree: 3 }, network: { timesFree: 3 } },
    full: { reply: '452 4.3.1' },
    setting: 'SMTP_MEMORY_BYTES',
  },
});

/** Refusals of one secret after which it is not tried for the rest of an hour: providers lock an account after a few. */
export const loginTriesAnHour = 3;
