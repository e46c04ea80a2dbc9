import {
  schemaNames,
  storingServiceNames,
  variablePrefix,
  type SchemaName,
  type StoringServiceName,
} from '@postroom/contracts';
import {
  KafkaSecurityConfig,
  logLevels,
  setting,
  TracingConfig,
  type LogLevel,
} from '@postroom/service';

/** Unlike the port of a service it cannot be 0: users are given this address. */
const port = { min: 1, max: 65_535 };

/** The settings of `npm start`; each has a default. */
export class PostroomConfig extends TracingConfig {
  @setting.text('POSTROOM_DATA_DIR', 'Folder of everything that is kept.', { default: 'var' })
  dataDir!: string;

  @setting.url('DATABASE_URL', 'PostgreSQL to use instead of one of our own.', {
    protocols: ['postgres:', 'postgresql:'],
    nullable: true,
  })
  databaseUrl!: string | null;

  @setting.each(storingServiceNames, (name) =>
    setting.url(
      `${variablePrefix(name)}_DATABASE_URL`,
      `PostgreSQL of the service \`${name}\`, for commands where there is no data folder.`,
      { protocols: ['postgres:', 'postgresql:'], nullable: true },
    ),
  )
  databaseUrls!: Readonly<Record<StoringServiceName, string | null>>;

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

  @setting.networks(
    'MAIL_SERVER_ALLOWED_CIDRS',
    'Addresses that a mailbox’s own servers may have though they are not public.',
    { default: ['127.0.0.0/8', '::1'] },
  )
  mailServerAllowedCidrs!: readonly string[];

  @setting.url('PUBLIC_URL', 'How the deployment is reached from outside.', {
    protocols: ['http:', 'https:'],
    nullable: true,
  })
  publicUrl!: string | null;

  @setting.keyring('SECRETS_KEYS', 'Keyring of the secrets at rest; made at the first start.', {
    nullable: true,
  })
  secretsKeys!: string | null;

  @setting.secrets('AUDIT_KEY', 'Keys of the audit, the first seals; made at the first start.', {
    nullable: true,
  })
  auditKey!: string | null;

  @setting.oneOf('LOG_LEVEL', 'What is logged.', logLevels, { default: 'warn' })
  logLevel!: LogLevel;
}

/** The further settings of `npm run start:cluster`. */
export class ClusterConfig extends PostroomConfig {
  @setting.list('KAFKA_BROKERS', 'Kafka to use instead of a broker of our own: `host:port,…`.', {
    nullable: true,
  })
  kafkaBrokers!: readonly string[] | null;

  @setting.text('KAFKA_PREFIX', 'First part of every topic’s name; installations differ in it.', {
    default: 'postroom',
  })
  kafkaPrefix!: string;
}

/** The settings of the job that prepares a deployment. */
export class PrepareConfig extends KafkaSecurityConfig {
  @setting.url('DATABASE_URL', 'PostgreSQL, as one who may create roles and schemas.', {
    protocols: ['postgres:', 'postgresql:'],
  })
  databaseUrl!: string;

  @setting.each(schemaNames, (name) =>
    setting.secrets(
      `${variablePrefix(name)}_DATABASE_PASSWORD`,
      `Of the role \`postroom_${name}\`, set at each run; while it is changed two, of which the first is set.`,
    ),
  )
  passwords!: Readonly<Record<SchemaName, string>>;

  @setting.list('KAFKA_BROKERS', 'Kafka, as `host:port` separated by commas.')
  kafkaBrokers!: readonly string[];

  @setting.text('KAFKA_PREFIX', 'First part of every topic’s name; installations differ in it.', {
    default: 'postroom',
  })
  kafkaPrefix!: string;
}

/** The public base URL without a path: as configured, or this machine. */
export const publicUrlOf = ({ publicUrl, port }: PostroomConfig): string =>
  new URL(publicUrl ?? `http://127.0.0.1:${port}`).origin;

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
