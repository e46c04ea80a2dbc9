import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CallSeal, callerKey } from '@postroom/access';
import type { Bus } from '@postroom/bus';
import { MessageParser } from '@postroom/mime';
import {
  carryLargeBodies,
  Engine,
  eventsCommitted,
  OperationServer,
  RethrowFilter,
  startAuditForwarding,
  startMaintenance,
  startRelay,
  type Relay,
  type RelayOptions,
} from '@postroom/operations';
import { Database, Listener } from '@postroom/persistence';
import { createLog, NestLog, type Log } from '@postroom/service';
import { maintenanceJobs } from './maintenance-jobs.js';
import type { MailConfig } from './config.js';
import { InboundThread, type Ports } from './inbound/index.js';
import { MailboxEntity } from './mailboxes/index.js';
import { MailModule } from './mail.module.js';
import type { Resources } from './resources.js';
import { Attempts } from './sends/index.js';

/** The mail service as a process or a composition runs it. */
export interface MailApp {
  /** Serves the mail operations and takes mail in; resolves once the ports are bound. */
  listen(): Promise<void>;
  /** Takes no new mail and no new request, finishes what is under way, then closes. */
  close(): Promise<void>;
  /** Whether its connection to the database stands, while it listens. */
  readonly isConnected: boolean;
  /** The ports that mail arrives on, while it listens. */
  readonly mailPorts: Ports;
}

/** Builds the mail service from its configuration and a bus. */
export async function createMailApp(
  config: MailConfig,
  carrier: Bus,
  log: Log = createLog({ level: 'info', format: 'json' }),
): Promise<MailApp> {
  const [own, inboundConfig] = sharesOf(config);
  // First, since it loads its modules beside this thread's.
  const inbound = new InboundThread({
    config: inboundConfig,
    log,
    eventsCommitted: () => eventsCommitted(database),
  });
  const database = await Database.connect({
    url: own.databaseUrl,
    schema: 'mail',
    entities: [MailboxEntity],
    poolSize: own.poolSize,
  });
  const large = carryLargeBodies(carrier, config, log);
  const { bus } = large;
  const parser = new MessageParser({ warn: (message, detail) => log.warn(detail, message) });
  const app = await createOperations({ config: own, database, parser, log }, bus);
  const stopMaintenance = startMaintenance(database, log, { jobs: maintenanceJobs });
  const listener = new Listener({ url: config.databaseUrl });
  let leaving: Relay | undefined;
  return {
    async listen() {
      await app.listen();
      await inbound.listen();
      leaving = startLeaving({ database, listener, bus, schema: 'mail', log });
    },
    async close() {
      app.get(Attempts).stopSoon();
      await inbound.close();
      await app.close();
      await leaving?.stop();
      await listener.close();
      await stopMaintenance();
      await parser.close();
      await large.close();
      await database.close();
    },
    get isConnected() {
      return listener.isConnected;
    },
    get mailPorts() {
      return inbound.ports;
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

/** The mail operations as a server on the bus. */
async function createOperations(resources: Resources, bus: Bus): Promise<INestMicroservice> {
  const { config, database, log } = resources;
  const key = callerKey(Buffer.from(config.callerKey, 'base64'));
  const engine = new Engine({ database, callerKey: key, log });
  const app = await NestFactory.createMicroservice(MailModule.from(resources), {
    strategy: new OperationServer('mail', bus, engine, new CallSeal(key)),
    logger: new NestLog(log),
    abortOnError: false,
  });
  return app.useGlobalFilters(new RethrowFilter());
}

/**
 * The configuration of the operations and of the inbound thread. However much mail arrives, requests find a
 * connection to PostgreSQL, and the two have no more than the process is allowed; a request holds one
 * for several trips, so that each that they lack is felt.
 */
function sharesOf(config: MailConfig): readonly [MailConfig, MailConfig] {
  const inbound = Math.max(1, Math.floor(config.poolSize / 4));
  return [
    { ...config, poolSize: config.poolSize - inbound },
    { ...config, poolSize: inbound },
  ];
}
