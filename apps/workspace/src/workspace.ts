import { InProcessBus } from '@postroom/bus';
import { createGatewayApp, GatewayConfig, type GatewayApp } from '@postroom/gateway';
import { createMailApp, MailConfig } from '@postroom/mail';
import { Health, loadConfig, Metrics, type Lifecycle, type Log } from '@postroom/service';
import { publicUrlOf, type WorkspaceConfig } from './config.js';
import { openDatabase } from './database.js';
import { StartError } from './start-error.js';

/** The whole product in one process, serving but not yet ready. */
export interface Workspace {
  readonly publicUrl: string;
  readonly gateway: GatewayApp;
  readonly health: Health;
}

/** Awaited before the process calls itself ready. */
const awaited = ['mail', 'gateway', 'demo'];

/** The gateway answers what it has in flight before it stops; an operation may take 10 s. */
const drainMs = 20_000;

/**
 * Starts PostgreSQL, prepares it, and every service around an in-process bus. What was started is
 * registered with the lifecycle, also when a later step fails.
 */
export async function startWorkspace(
  config: WorkspaceConfig,
  env: NodeJS.ProcessEnv,
  log: Log,
  lifecycle: Lifecycle,
): Promise<Workspace> {
  const { installation, urls } = await openDatabase(config, log, lifecycle);
  const health = new Health(awaited);
  const parts = { bus: new InProcessBus(), log, health, metrics: new Metrics() };
  const publicUrl = publicUrlOf(config);
  const shared = {
    ...env,
    PORT: String(config.port),
    SMTP_PORT: String(config.smtpPort),
    PUBLIC_URL: publicUrl,
    SECRETS_KEYS: config.secretsKeys ?? installation.secretsKeys,
    ACCESS_CALLER_KEY: installation.callerKeys.access,
    MAIL_CALLER_KEY: installation.callerKeys.mail,
  };
  const gatewayConfig = loadConfig(GatewayConfig, { ...shared, DATABASE_URL: urls.access });
  const mailConfig = loadConfig(MailConfig, { ...shared, DATABASE_URL: urls.mail });

  const mail = await createMailApp(mailConfig, parts.bus, log);
  lifecycle.onStop('mail', () => mail.close());
  // Stopped before the mail service, which answers what the gateway has in flight.
  const gateway = await createGatewayApp(gatewayConfig, parts);
  lifecycle.onStop('gateway', () => gateway.close(), drainMs);

  await inUse('PORT', config.port, gateway.listen());
  health.ready('gateway', true);
  await inUse('SMTP_PORT', config.smtpPort, mail.listen());
  health.ready('mail', true);
  lifecycle.onStop('readiness', () => {
    health.stopping();
  });
  return { publicUrl, gateway, health };
}

/** A port that somebody else holds is the operator's to change: the error says how. */
async function inUse(variable: string, port: number, listening: Promise<void>): Promise<void> {
  try {
    await listening;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new StartError(
        `Port ${port} is in use. Stop what uses it, or choose another with ${variable}.`,
        { cause: error },
      );
    }
    throw error;
  }
}
