import { GatewayConfig } from '@postroom/gateway';
import { MailConfig } from '@postroom/mail';
import {
  ConfigError,
  faultsOf,
  loadConfig,
  logLevels,
  setting,
  type LogLevel,
} from '@postroom/service';

/** Any free port would do for a service, but here others are told of it. */
const port = { min: 1, max: 65_535 };

/** What `npm start` is told by its environment; everything has a default. */
export class WorkspaceConfig {
  @setting.text('POSTROOM_DATA_DIR', 'Folder of everything that is kept.', { default: 'var' })
  dataDir!: string;

  @setting.url('DATABASE_URL', 'PostgreSQL to use instead of one of our own.', {
    protocols: ['postgres:', 'postgresql:'],
    nullable: true,
  })
  databaseUrl!: string | null;

  @setting.url('ACCESS_DATABASE_URL', 'PostgreSQL for commands where there is no data folder.', {
    protocols: ['postgres:', 'postgresql:'],
    nullable: true,
  })
  accessDatabaseUrl!: string | null;

  @setting.integer('PORT', 'Port of the API.', { ...port, default: 3000 })
  port!: number;

  @setting.integer('SMTP_PORT', 'Port that mail arrives on.', { ...port, default: 2525 })
  smtpPort!: number;

  @setting.integer('LMTP_PORT', 'Port that mail arrives on by LMTP; without it there is none.', {
    ...port,
    nullable: true,
  })
  lmtpPort!: number | null;

  @setting.url(
    'OUTGOING_SMTP_URL',
    'Mail server that outgoing mail goes to; without it the mail is kept in `outbox`.',
    { protocols: ['smtp:', 'smtps:'], nullable: true },
  )
  outgoingSmtpUrl!: string | null;

  @setting.url('PUBLIC_URL', 'How the deployment is reached from outside.', {
    protocols: ['http:', 'https:'],
    nullable: true,
  })
  publicUrl!: string | null;

  @setting.keyring('SECRETS_KEYS', 'Keyring of the secrets at rest; made at the first start.', {
    nullable: true,
  })
  secretsKeys!: string | null;

  @setting.secret('AUDIT_KEY', 'Key that seals the audit; made at the first start.', {
    nullable: true,
  })
  auditKey!: string | null;

  @setting.oneOf('LOG_LEVEL', 'What is logged.', logLevels, { default: 'warn' })
  logLevel!: LogLevel;
}

/** What `npm run start:cluster` is told beside it. */
export class ClusterConfig extends WorkspaceConfig {
  @setting.list('KAFKA_BROKERS', 'Kafka to use instead of a broker of our own: `host:port,…`.', {
    nullable: true,
  })
  kafkaBrokers!: readonly string[] | null;

  @setting.text('KAFKA_PREFIX', 'First part of every topic’s name; installations differ in it.', {
    default: 'postroom',
  })
  kafkaPrefix!: string;
}

/** What the job that prepares a deployment is told. */
export class PrepareConfig {
  @setting.url('DATABASE_URL', 'PostgreSQL, as one who may create roles and schemas.', {
    protocols: ['postgres:', 'postgresql:'],
  })
  databaseUrl!: string;

  @setting.secret('ACCESS_DATABASE_PASSWORD', 'Of the role `postroom_access`, set at each run.')
  accessPassword!: string;

  @setting.secret('BLOBS_DATABASE_PASSWORD', 'Of the role `postroom_blobs`, set at each run.')
  blobsPassword!: string;

  @setting.secret('MAIL_DATABASE_PASSWORD', 'Of the role `postroom_mail`, set at each run.')
  mailPassword!: string;

  @setting.list('KAFKA_BROKERS', 'Kafka, as `host:port` separated by commas.')
  kafkaBrokers!: readonly string[];

  @setting.text('KAFKA_PREFIX', 'First part of every topic’s name; installations differ in it.', {
    default: 'postroom',
  })
  kafkaPrefix!: string;
}

/** What this process decides for its services, or checks itself: none of it can be their fault. */
const decidedHere = {
  DATABASE_URL: 'postgres://decided',
  BLOBS_DATABASE_URL: 'postgres://decided',
  PORT: '1',
  SMTP_PORT: '1',
  LMTP_PORT: '1',
  OUTGOING_SMTP_URL: 'smtp://decided',
  PUBLIC_URL: 'http://decided',
  SECRETS_KEYS: `decided:${Buffer.alloc(32).toString('base64')}`,
  AUDIT_KEY: 'decided'.repeat(8),
  ACCESS_CALLER_KEY: 'decided'.repeat(8),
  MAIL_CALLER_KEY: 'decided'.repeat(8),
};

/**
 * Reads the settings of this process, and checks those of its services before anything is started.
 * @throws ConfigError with every fault at once
 */
export function loadWorkspaceConfig(env: NodeJS.ProcessEnv): WorkspaceConfig {
  return load(WorkspaceConfig, env);
}

/** The same of a cluster. */
export function loadClusterConfig(env: NodeJS.ProcessEnv): ClusterConfig {
  return load(ClusterConfig, env);
}

function load<C extends object>(config: new () => C, env: NodeJS.ProcessEnv): Readonly<C> {
  const ofServices = { ...env, ...decidedHere };
  const faults = [
    ...faultsOf(config, env),
    ...faultsOf(GatewayConfig, ofServices),
    ...faultsOf(MailConfig, ofServices),
  ];
  if (faults.length > 0) throw new ConfigError(faults);
  return loadConfig(config, env);
}

/** Where the deployment is reached, without a path: as configured, or this machine. */
export const publicUrlOf = ({ publicUrl, port }: WorkspaceConfig): string =>
  new URL(publicUrl ?? `http://127.0.0.1:${port}`).origin;

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
