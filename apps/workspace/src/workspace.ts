import { InProcessBus } from '@postroom/bus';
import { createGatewayApp, GatewayConfig, type GatewayApp } from '@postroom/gateway';
import { createMailApp, MailConfig } from '@postroom/mail';
import { Health, loadConfig, Metrics, type Lifecycle, type Log } from '@postroom/service';
import { publicUrlOf, type WorkspaceConfig } from './config.js';
import { openDatabase } from './database.js';
import type { Instance } from './instance.js';
import { openOutbox } from './outbox.js';
import { serviceEnvironments } from './service-environments.js';
import { codeOf, portInUse, portOf } from './start-error.js';

/** The whole product, serving but not yet ready. */
export interface Workspace {
  readonly publicUrl: string;
  /** Where workspaces are opened. */
  readonly access: Pick<GatewayApp, 'openWorkspace' | 'workspaceId'>;
  /** Says that the demo is there. */
  ready(): void;
  /** Its processes, where it has several: calls back with all of them, now and at each change. */
  watchInstances?(changed: (instances: readonly Instance[]) => void): void;
}

/** Awaited before the process calls itself ready. */
const awaited = ['mail', 'gateway', 'demo'];

/** A service answers what it has in flight before it stops; an operation may take 10 s. */
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
  const database = await openDatabase(config, log, lifecycle);
  const outbox = await openOutbox(config, lifecycle);
  const environments = serviceEnvironments(config, env, database, outbox);
  const gatewayConfig = loadConfig(GatewayConfig, environments.gateway);
  const mailConfig = loadConfig(MailConfig, environments.mail);
  const health = new Health(awaited);
  const parts = { bus: new InProcessBus(), log, health, metrics: new Metrics() };

  const mail = await createMailApp(mailConfig, parts.bus, log);
  lifecycle.onStop('mail', () => mail.close(), drainMs);
  // Stopped before the mail service, which answers what the gateway has in flight.
  const gateway = await createGatewayApp(gatewayConfig, parts);
  lifecycle.onStop('gateway', () => gateway.close(), drainMs);

  await inUse({ PORT: config.port }, gateway.listen());
  health.ready('gateway', true);
  await inUse({ SMTP_PORT: config.smtpPort, LMTP_PORT: config.lmtpPort }, mail.listen());
  health.ready('mail', true);
  health.ready('mail database', () => mail.isConnected || 'no connection');
  lifecycle.onStop('readiness', () => {
    health.stopping();
  });
  return {
    publicUrl: publicUrlOf(config),
    access: gateway,
    ready: () => {
      health.ready('demo', true);
    },
  };
}

/** A port that somebody else holds is the operator's to change: the error says how. */
async function inUse(
  ports: Readonly<Record<string, number | null>>,
  listening: Promise<void>,
): Promise<void> {
  try {
    await listening;
  } catch (error) {
    const taken = portOf(error);
    const [variable] = Object.entries(ports).find(([, port]) => port === taken) ?? [];
    if (codeOf(error) !== 'EADDRINUSE' || variable === undefined || taken === undefined)
      throw error;
    throw portInUse(variable, taken, error);
  }
}
