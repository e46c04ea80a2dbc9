import { logLevels, setting, type LogLevel } from '@postroom/service';

/** What `npm start` is told by its environment; everything has a default. */
export class WorkspaceConfig {
  @setting.text('POSTROOM_DATA_DIR', 'Folder of everything that is kept.', { default: 'var' })
  dataDir!: string;

  @setting.url('DATABASE_URL', 'PostgreSQL to use instead of one of our own.', {
    protocols: ['postgres:', 'postgresql:'],
    nullable: true,
  })
  databaseUrl!: string | null;

  @setting.port('PORT', 'Port of the API.', { default: 3000 })
  port!: number;

  @setting.port('SMTP_PORT', 'Port that mail arrives on.', { default: 2525 })
  smtpPort!: number;

  @setting.url('PUBLIC_URL', 'How the deployment is reached from outside.', {
    protocols: ['http:', 'https:'],
    nullable: true,
  })
  publicUrl!: string | null;

  @setting.keyring('SECRETS_KEYS', 'Keyring of the secrets at rest; made at the first start.', {
    nullable: true,
  })
  secretsKeys!: string | null;

  @setting.oneOf('LOG_LEVEL', 'What is logged.', logLevels, { default: 'warn' })
  logLevel!: LogLevel;
}

/** Where the deployment is reached: as configured, or this machine. */
export const publicUrlOf = ({ publicUrl, port }: WorkspaceConfig): string =>
  publicUrl ?? `http://127.0.0.1:${port}`;

/** The environment of this process. */
export const environment = (): NodeJS.ProcessEnv => process.env;
