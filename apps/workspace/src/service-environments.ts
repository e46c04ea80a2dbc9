import { publicUrlOf, type WorkspaceConfig } from './config.js';
import type { WorkspaceDatabase } from './database.js';
import type { Outbox } from './outbox.js';

/** Nothing of an installation that starts itself is reached from elsewhere (`decisions.md` §10). */
const loopback = '127.0.0.1';

/** By service, what it is told: the operator's settings, and what this installation decides. */
export function serviceEnvironments(
  config: WorkspaceConfig,
  env: NodeJS.ProcessEnv,
  { installation, urls }: WorkspaceDatabase,
  outbox: Outbox,
): Record<'gateway' | 'mail', NodeJS.ProcessEnv> {
  return {
    gateway: {
      ...env,
      // Some shells export it, as the machine's name.
      HOST: loopback,
      DATABASE_URL: urls.access,
      BLOBS_DATABASE_URL: urls.blobs,
      PORT: String(config.port),
      PUBLIC_URL: publicUrlOf(config),
      AUDIT_KEY: config.auditKey ?? installation.auditKey,
      ACCESS_CALLER_KEY: installation.callerKeys.access,
      MAIL_CALLER_KEY: installation.callerKeys.mail,
    },
    mail: {
      ...env,
      SMTP_HOST: loopback,
      DATABASE_URL: urls.mail,
      BLOBS_DATABASE_URL: urls.blobs,
      SMTP_PORT: String(config.smtpPort),
      LMTP_PORT: config.lmtpPort === null ? '' : String(config.lmtpPort),
      OUTGOING_SMTP_URL: outbox.smtpUrl,
      OUTGOING_OUTBOX_DIR: outbox.folder ?? '',
      SECRETS_KEYS: config.secretsKeys ?? installation.secretsKeys,
      MAIL_CALLER_KEY: installation.callerKeys.mail,
    },
  };
}
