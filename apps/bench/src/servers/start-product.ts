import { InProcessBus, type Bus } from '@postroom/bus';
import { serviceNames, variablePrefix } from '@postroom/contracts';
import { createGatewayApp, GatewayConfig } from '@postroom/gateway';
import { createMailApp, MailConfig } from '@postroom/mail';
import { createMcpApp, McpConfig } from '@postroom/mcp';
import type { ProcessParts } from '@postroom/operations';
import { freePort } from '@postroom/local';
import { createLog, Health, loadConfig, Metrics, type LogLevel } from '@postroom/service';
import type { Setup } from '../rig/setup.js';
import type { Listening } from './serve.js';

/** The telemetry of a server; both services share it. */
export type Telemetry = Pick<ProcessParts, 'log' | 'metrics'>;

/** The whole product in this process, composed as `npm start` composes it. */
export async function startProduct(
  setup: Setup,
  bus: Bus = new InProcessBus(),
  telemetry?: Telemetry,
): Promise<Listening> {
  const mail = await startMail(setup, bus, telemetry);
  const gateway = await startGateway(setup, bus, telemetry);
  return {
    port: gateway.port,
    smtpPort: mail.port,
    async close() {
      await gateway.close();
      await mail.close();
    },
  };
}

/** The gateway alone, on a bus. */
export async function startGateway(
  setup: Setup,
  bus: Bus,
  telemetry: Telemetry = telemetryAt('warn'),
): Promise<Listening> {
  const port = await freePort();
  const config = loadConfig(GatewayConfig, {
    DATABASE_URL: setup.databaseUrls.access,
    BLOBS_DATABASE_URL: setup.databaseUrls.blobs,
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    AUDIT_KEY: setup.callerKeys.access,
    CALLER_KEY: setup.callerKeys.access,
    SECRETS_KEYS: setup.secretsKeys,
    ...Object.fromEntries(
      serviceNames.map((name) => [`${variablePrefix(name)}_CALLER_KEY`, setup.callerKeys[name]]),
    ),
    // The limiter counts every request but never refuses one.
    RATE_LIMIT_PER_MINUTE: '1000000',
    SEND_RATE_LIMIT_PER_MINUTE: '1000000',
    MEMBER_RATE_LIMIT_PER_MINUTE: '1000000',
  });
  const gateway = await createGatewayApp(config, { bus, health: new Health([]), ...telemetry });
  await gateway.listen();
  return { port, close: () => gateway.close() };
}

/** The mail service alone, on a bus. */
export async function startMail(
  setup: Setup,
  bus: Bus,
  // Each message that the fallback shows causes a warning.
  telemetry: Telemetry = telemetryAt('error'),
): Promise<Listening> {
  const smtpPort = await freePort();
  const config = loadConfig(MailConfig, {
    DATABASE_URL: setup.databaseUrls.mail,
    BLOBS_DATABASE_URL: setup.databaseUrls.blobs,
    SMTP_PORT: String(smtpPort),
    SEND_RATE_LIMIT_PER_MINUTE: '1000000',
    // Name servers are not what is measured.
    MAIL_AUTH: 'off',
    PUBLIC_URL: 'http://127.0.0.1',
    SECRETS_KEYS: setup.secretsKeys,
    CALLER_KEY: setup.callerKeys.mail,
    ...(setup.outgoingUrl !== null && { OUTGOING_SMTP_URL: setup.outgoingUrl }),
  });
  const mail = await createMailApp(config, { bus, health: new Health([]), ...telemetry });
  await mail.listen();
  return { port: smtpPort, close: () => mail.close() };
}

/** The MCP service alone, on a bus; its clients ask the gateway, so it has no port. */
export async function startMcp(setup: Setup, bus: Bus): Promise<Listening> {
  const config = loadConfig(McpConfig, {
    BLOBS_DATABASE_URL: setup.databaseUrls.blobs,
    PUBLIC_URL: 'http://127.0.0.1',
    CALLER_KEY: setup.callerKeys.mcp,
  });
  const mcp = await createMcpApp(config, { bus, health: new Health([]), ...telemetryAt('warn') });
  await mcp.listen();
  return { port: 0, close: () => mcp.close() };
}

const telemetryAt = (level: LogLevel): Telemetry => ({
  log: createLog({ level, format: 'plain' }),
  metrics: new Metrics(),
});
