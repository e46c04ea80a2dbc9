import { NestFactory } from '@nestjs/core';
import { callerKey } from '@postroom/access';
import type { Bus } from '@postroom/bus';
import {
  carryLargeBodies,
  Engine,
  OperationServer,
  RethrowFilter,
  startAuditForwarding,
  startHousekeeping,
  startRelay,
  type Relay,
  type RelayOptions,
} from '@postroom/operations';
import { Database, Listener } from '@postroom/persistence';
import { createLog, NestLog, type Log } from '@postroom/service';
import { chores } from './chores.js';
import type { MailConfig } from './config.js';
import { MailboxEntity } from './mailboxes/index.js';
import { MailModule } from './mail.module.js';
import { MessageParser } from './parsing/index.js';
import { SmtpListener } from './smtp/index.js';

/** The mail service as a process or a composition runs it. */
export interface MailApp {
  /** Serves the mail operations and SMTP; resolves once the port is bound. */
  listen(): Promise<void>;
  /** Takes no new mail and no new request, finishes what is under way, then closes. */
  close(): Promise<void>;
  /** The port that mail arrives on, while it listens. */
  readonly smtpPort: number;
}

/** Builds the mail service from its configuration and a bus. */
export async function createMailApp(
  config: MailConfig,
  carrier: Bus,
  log: Log = createLog({ level: 'info', format: 'json' }),
): Promise<MailApp> {
  const database = await Database.connect({
    url: config.databaseUrl,
    schema: 'mail',
    entities: [MailboxEntity],
    poolSize: config.poolSize,
  });
  const large = carryLargeBodies(carrier, config.blobsDatabaseUrl, log);
  const { bus } = large;
  const parser = new MessageParser({ warn: (message, detail) => log.warn(detail, message) });
  const key = callerKey(Buffer.from(config.callerKey, 'base64'));
  const engine = new Engine({ database, callerKey: key, log });
  const app = await NestFactory.createMicroservice(
    MailModule.from({ config, database, parser, log }),
    {
      strategy: new OperationServer('mail', bus, engine),
      logger: new NestLog(log),
      abortOnError: false,
    },
  );
  app.useGlobalFilters(new RethrowFilter());
  const smtp = app.get(SmtpListener);
  const stopHousekeeping = startHousekeeping(database, log, { chores });
  const listener = new Listener({ url: config.databaseUrl });
  let leaving: Relay | undefined;
  return {
    async listen() {
      await app.listen();
      await smtp.listen();
      leaving = startLeaving({ database, listener, bus, schema: 'mail', log });
    },
    async close() {
      await smtp.close();
      await app.close();
      await leaving?.stop();
      await listener.close();
      await stopHousekeeping();
      await parser.close();
      await large.close();
      await database.close();
    },
    get smtpPort() {
      return smtp.port;
    },
  };
}

/** Lets events and audit records leave; the last of the records leave as events do. */
function startLeaving(options: RelayOptions): Relay {
  const relay = startRelay(options);
  const forwarding = startAuditForwarding(options);
  return {
    async stop() {
      await forwarding.stop();
      await relay.stop();
    },
  };
}
