import { publicUrlOf, type WorkspaceConfig } from './config.js';
import type { WorkspaceDatabase } from './database.js';

/** By service, what it is told: the operator's settings, and what this installation decides. */
export function serviceEnvironments(
  config: WorkspaceConfig,
  env: NodeJS.ProcessEnv,
  { installation, urls }: WorkspaceDatabase,
): Record<'gateway' | 'mail', NodeJS.ProcessEnv> {
  return {
    gateway: {
      ...env,
      DATABASE_URL: urls.access,
      BLOBS_DATABASE_URL: urls.blobs,
      PORT: String(config.port),
      PUBLIC_URL: publicUrlOf(config),
      ACCESS_CALLER_KEY: installation.callerKeys.access,
      MAIL_CALLER_KEY: installation.callerKeys.mail,
    },
    mail: {
      ...env,
      DATABASE_URL: urls.mail,
      BLOBS_DATABASE_URL: urls.blobs,
      SMTP_PORT: String(config.smtpPort),
      LMTP_PORT: config.lmtpPort === null ? '' : String(config.lmtpPort),
      SECRETS_KEYS: config.secretsKeys ?? installation.secretsKeys,
      MAIL_CALLER_KEY: installation.callerKeys.mail,
    },
  };
}
