import { InProcessBus } from '@postroom/bus';
import { createGatewayApp, GatewayConfig } from '@postroom/gateway';
import { createMailApp, MailConfig } from '@postroom/mail';
import { freePort } from '@postroom/persistence/server';
import { createLog, Health, loadConfig, Metrics } from '@postroom/service';
import type { Setup } from '../rig/setup.js';
import type { Listening } from './serve.js';

/** The whole product in this process, composed as `npm start` composes it. */
export async function startProduct(setup: Setup): Promise<Listening> {
  const port = await freePort();
  const log = createLog({ level: 'warn', format: 'plain' });
  const bus = new InProcessBus();
  const parts = { bus, log, health: new Health([]), metrics: new Metrics() };
  const shared = {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    BLOBS_DATABASE_URL: setup.databaseUrls.blobs,
    ACCESS_CALLER_KEY: setup.callerKeys.access,
    MAIL_CALLER_KEY: setup.callerKeys.mail,
    // The limiter counts every request; it just never refuses one.
    RATE_LIMIT_PER_MINUTE: '1000000',
  };
  const gateway = await createGatewayApp(
    loadConfig(GatewayConfig, { ...shared, DATABASE_URL: setup.databaseUrls.access }),
    parts,
  );
  const mail = await startMail(setup, bus);
  await gateway.listen();
  return {
    port,
    async close() {
      await gateway.close();
      await mail.close();
    },
  };
}

/** The mail service alone, on a bus. */
export async function startMail(
  setup: Setup,
  bus: InProcessBus,
): Promise<{ close(): Promise<void> }> {
  const smtpPort = await freePort();
  const config = loadConfig(MailConfig, {
    DATABASE_URL: setup.databaseUrls.mail,
    BLOBS_DATABASE_URL: setup.databaseUrls.blobs,
    SMTP_PORT: String(smtpPort),
    PUBLIC_URL: 'http://127.0.0.1',
    SECRETS_KEYS: setup.secretsKeys,
    MAIL_CALLER_KEY: setup.callerKeys.mail,
  });
  const mail = await createMailApp(config, bus, createLog({ level: 'warn', format: 'plain' }));
  await mail.listen();
  return mail;
}
