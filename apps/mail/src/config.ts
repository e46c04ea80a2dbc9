import { ServiceConfig } from '@postroom/operations';
import { setting } from '@postroom/service';

const mebibyte = 1024 * 1024;

/** Loopback, private, link-local and shared addresses. */
const insideNetworks: readonly string[] = [
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16'],
  ...['100.64.0.0/10', '::1/128', 'fc00::/7', 'fe80::/10'],
];

/** The configuration of the mail service, from its environment. */
export class MailConfig extends ServiceConfig {
  @setting.integer('DATABASE_POOL_SIZE', 'Connections to PostgreSQL.', {
    default: 10,
    min: 2,
    max: 100,
  })
  override poolSize!: number;

  @setting.text('SMTP_HOST', 'Address that mail arrives on.', { default: '127.0.0.1' })
  smtpHost!: string;

  @setting.port('SMTP_PORT', 'Port that mail arrives on.', { default: 2525 })
  smtpPort!: number;

  @setting.port('LMTP_PORT', 'Port that mail arrives on by LMTP (RFC 2033).', { nullable: true })
  lmtpPort!: number | null;

  @setting.text('SMTP_HOSTNAME', 'What the SMTP listener calls itself; the machine’s name.', {
    nullable: true,
  })
  smtpHostname!: string | null;

  @setting.integer('SMTP_CLIENTS_MAX', 'SMTP connections at once.', {
    default: 100,
    min: 1,
    max: 10_000,
  })
  smtpClientsMax!: number;

  @setting.integer('SMTP_MEMORY_BYTES', 'Bytes of arriving messages in memory at once.', {
    default: 128 * mebibyte,
    min: mebibyte,
    max: 16_384 * mebibyte,
  })
  smtpMemoryBytes!: number;

  @setting.integer(
    'SMTP_CLIENT_CPU_PERCENT',
    'Share of a core that the expensive mail of one SMTP client is to take: it waits up to 750 ms before its next message. 100 for no waiting, where one relay hands over everybody’s mail.',
    { default: 10, min: 1, max: 100 },
  )
  smtpClientCpuPercent!: number;

  // RFC 5321 §4.5.3.2.7 gives a client five minutes.
  @setting.duration('SMTP_IDLE_TIMEOUT', 'How long a silent SMTP client is waited for.', {
    default: 300_000,
    min: 100,
    max: 3_600_000,
  })
  smtpIdleTimeoutMs!: number;

  @setting.duration('SMTP_TRANSFER_TIMEOUT', 'How long one message may take to come in.', {
    default: 900_000,
    min: 100,
    max: 3_600_000,
  })
  smtpTransferMs!: number;

  @setting.oneOf(
    'MAIL_AUTH',
    'Whether mail that arrives by SMTP is checked for SPF, DKIM and DMARC: `off` where a server in front has done so.',
    ['on', 'off'],
    { default: 'on' },
  )
  mailAuth!: 'on' | 'off';

  @setting.networks(
    'MAIL_AUTH_RELAYS',
    'SMTP clients that pass on other people’s mail: their address says nothing of a sender, so SPF is `none`.',
    { default: insideNetworks },
  )
  mailAuthRelays!: readonly string[];

  @setting.list(
    'MAIL_AUTH_DNS_SERVERS',
    'Name servers for SPF, DKIM and DMARC, `address` or `address:port`, instead of the system’s.',
    { nullable: true },
  )
  mailAuthDnsServers!: readonly string[] | null;

  // Acceptance is to wait for name servers for less than five seconds.
  @setting.duration('MAIL_AUTH_TIMEOUT', 'How long one message may be checked.', {
    default: 4_000,
    min: 100,
    max: 4_500,
  })
  mailAuthMs!: number;

  @setting.url(
    'OUTGOING_SMTP_URL',
    'Where mail goes that no server of its mailbox takes: `smtp://user:password@host:587` or `smtps:`.',
    { protocols: ['smtp:', 'smtps:'], nullable: true },
  )
  outgoingSmtpUrl!: string | null;

  @setting.text(
    'OUTGOING_OUTBOX_DIR',
    'Folder of a server that keeps what it took as files: an unknown send is looked for there.',
    { nullable: true },
  )
  outgoingOutboxDir!: string | null;

  @setting.text(
    'ACCOUNT_MAIL_FROM',
    'Address that mail about accounts comes from (resets of passwords, new sign-ins, changes of second factors); `postroom@` and `SMTP_HOSTNAME`.',
    { nullable: true },
  )
  accountMailFrom!: string | null;

  @setting.networks(
    'MAIL_SERVER_ALLOWED_CIDRS',
    'Addresses that a mailbox’s own servers may have though they are not public.',
    { nullable: true },
  )
  mailServerAllowedCidrs!: readonly string[] | null;

  @setting.url(
    'PUBLIC_URL',
    'How the deployment is reached from outside: providers of mail accounts lead back to it. None is offered without.',
    { protocols: ['http:', 'https:'], nullable: true },
  )
  publicUrl!: string | null;

  @setting.text(
    'GOOGLE_CLIENT_ID',
    'The deployment’s OAuth client at Google, by which members connect mailboxes of Google.',
    { nullable: true },
  )
  googleClientId!: string | null;

  @setting.secret('GOOGLE_CLIENT_SECRET', 'The secret of that client.', { nullable: true })
  googleClientSecret!: string | null;

  @setting.text(
    'MICROSOFT_CLIENT_ID',
    'The deployment’s OAuth client at Microsoft (of any tenant), by which members connect mailboxes of Microsoft 365.',
    { nullable: true },
  )
  microsoftClientId!: string | null;

  @setting.secret('MICROSOFT_CLIENT_SECRET', 'The secret of that client.', { nullable: true })
  microsoftClientSecret!: string | null;

  @setting.url(
    'OAUTH_ISSUER',
    'Another provider of mail accounts with OAuth 2, by its issuer; it needs the five settings that follow.',
    { protocols: ['http:', 'https:'], nullable: true },
  )
  oauthIssuer!: string | null;

  @setting.text('OAUTH_CLIENT_ID', 'The deployment’s OAuth client at that provider.', {
    nullable: true,
  })
  oauthClientId!: string | null;

  @setting.secret('OAUTH_CLIENT_SECRET', 'The secret of that client.', { nullable: true })
  oauthClientSecret!: string | null;

  @setting.list('OAUTH_SCOPES', 'Scopes that its mail servers ask for.', { default: [] })
  oauthScopes!: readonly string[];

  @setting.url('OAUTH_IMAP_URL', 'Its IMAP server: `imaps://host` or `imap://host`.', {
    protocols: ['imaps:', 'imap:'],
    nullable: true,
  })
  oauthImapUrl!: string | null;

  @setting.url('OAUTH_SMTP_URL', 'Its server for sending: `smtps://host` or `smtp://host`.', {
    protocols: ['smtps:', 'smtp:'],
    nullable: true,
  })
  oauthSmtpUrl!: string | null;

  @setting.networks(
    'REMOTE_IMAGE_ALLOWED_CIDRS',
    'Addresses that images which messages name may be fetched from though they are not public.',
    { nullable: true },
  )
  remoteImageAllowedCidrs!: readonly string[] | null;

  @setting.list(
    'OUTBOUND_DNS_SERVERS',
    'Name servers for hosts that customers name, instead of the system’s.',
    { nullable: true },
  )
  outboundDnsServers!: readonly string[] | null;

  @setting.integer('OUTGOING_CONNECTIONS_MAX', 'Connections at once to one outgoing server.', {
    default: 5,
    min: 1,
    max: 100,
  })
  outgoingConnectionsMax!: number;

  // RFC 5321 §4.5.3.2.6; the request itself is answered long before.
  @setting.duration(
    'OUTGOING_ANSWER_TIMEOUT',
    'How long the answer to a whole message is waited for, counted from the end of the time for handing it over.',
    {
      default: 600_000,
      min: 100,
      max: 3_600_000,
    },
  )
  outgoingAnswerMs!: number;

  @setting.integer('TRASH_DAYS', 'Days after which what is in trash or spam is deleted.', {
    default: 30,
    min: 1,
    max: 3_650,
  })
  trashDays!: number;

  @setting.integer('QUOTA_MAILBOXES', 'Mailboxes of a workspace.', {
    default: 1_000,
    min: 1,
    max: 10_000,
  })
  quotaMailboxes!: number;

  @setting.integer('QUOTA_DRAFTS', 'Drafts of a workspace.', {
    default: 100_000,
    min: 1,
    max: 10_000_000,
  })
  quotaDrafts!: number;

  @setting.integer(
    'QUOTA_COMMENTS',
    'Comments of a workspace; it may exceed them by those of a minute.',
    {
      default: 1_000_000,
      min: 1,
      max: 1_000_000_000,
    },
  )
  quotaComments!: number;

  @setting.integer('QUOTA_ARRIVING_BYTES', 'Bytes of mail that may arrive a day and workspace.', {
    default: 10 * 1024 * mebibyte,
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
  })
  quotaArrivingBytes!: number;

  @setting.integer(
    'SEND_RATE_LIMIT_PER_MINUTE',
    'Sends a minute and key, over all gateways: the gateways’ setting.',
    { default: 10, min: 1, max: 1_000_000 },
  )
  sendRateLimitPerMinute!: number;

  @setting.integer(
    'MAILBOXES_PER_PROCESS',
    'Mailboxes that a process reads from accounts elsewhere, with a connection each; 0 for none.',
    { default: 200, min: 0, max: 10_000 },
  )
  mailboxesPerProcess!: number;

  @setting.integer(
    'IMAP_HISTORY_SHARE',
    'Pieces of the history of such mailboxes that a process reads at a time.',
    { default: 2, min: 1, max: 16 },
  )
  imapHistoryShare!: number;

  @setting.duration('SEND_SETTLE_INTERVAL', 'How often sends of unknown outcome are looked for.', {
    default: 5_000,
    min: 100,
    max: 600_000,
  })
  sendSettleMs!: number;
}

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
