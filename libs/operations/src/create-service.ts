import {
  Module,
  type DynamicModule,
  type INestApplicationContext,
  type INestMicroservice,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Keyring, readCallerKey, type CallerKey, type SealedColumn } from '@postroom/access';
import type { Bus } from '@postroom/bus';
import { services, type ServiceName } from '@postroom/contracts';
import type { BlobStore } from '@postroom/persistence/blobs/blob-store';
import { Database, Listener, PageTokens } from '@postroom/persistence';
import { NestLog, type Health, type Log, type Metrics } from '@postroom/service';
import { startAuditForwarding } from './audit-loop.js';
import { builtInHandlers, type BuiltInOptions } from './built-in.handlers.js';
import { Engine, type MemberRights } from './engine.js';
import { carryLargeBodies } from './large-bodies.js';
import { startMaintenance, type MaintenanceJob } from './maintenance.js';
import { encryptionsOf, type CallerKeys } from './encrypted-calls.js';
import { RethrowFilter } from './handlers.js';
import { OperationServer } from './operation-server.js';
import { RecordedBytes } from './recorded-bytes.js';
import { startRelay } from './relay.js';
import { requireSealingKeys } from './sealed-columns.js';
import type { ServiceConfig } from './service-config.js';
import { watchService } from './service-metrics.js';
import { UnitOfWork } from './unit-of-work.js';

/** Nest's injection token of the service's log. */
export const logToken = Symbol('log');

/** Nest's injection token of the store of large bodies. */
export const blobsToken = Symbol('blobs');

/** The parts of a process that its services share. */
export interface ProcessParts {
  readonly bus: Bus;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** The resources that the features of a service share: made before them, and closed after them. */
export interface Resources<C extends ServiceConfig = ServiceConfig> {
  readonly config: C;
  readonly database: Database;
  readonly work: UnitOfWork;
  /** Carries bodies of any size. */
  readonly bus: Bus;
  readonly blobs: BlobStore;
  /** NOTIFY of the database. */
  readonly listener: Listener;
  readonly keyring: Keyring;
  /** Signs the callers of this service. */
  readonly callerKey: CallerKey;
  readonly log: Log;
}

/** Serves the operations of a service. */
export interface Host extends Pick<INestApplicationContext, 'get'> {
  listen(): Promise<unknown>;
  /** Takes no new request, and resolves when those under way are answered. */
  close(): Promise<unknown>;
}

export interface ServiceOptions<C extends ServiceConfig> extends BuiltInOptions {
  readonly name: ServiceName;
  readonly config: C;
  readonly process: ProcessParts;
  /** TypeORM's entities of its schema. */
  readonly entities?: readonly (new () => object)[];
  /** The columns of its schema that hold encrypted secrets; none by default. */
  readonly sealed?: readonly SealedColumn[];
  /** Refuses to start on what the database holds, by throwing. */
  readonly check?: (database: Database) => Promise<void>;
  /** Jobs that run every minute, beside those of the engine. */
  readonly jobs?: readonly MaintenanceJob[];
  /** Limits what a member may do of its part of the public API; everything by default. */
  readonly memberRights?: MemberRights;
  /** Keys of the services that call it without the gateway. */
  readonly keysOfCallers?: CallerKeys;
  /** Its features, which may inject the {@link Resources}. */
  readonly module: (resources: Resources<C>) => DynamicModule | Type;
  /** Serves something beside the bus, such as HTTP; by default the service is on the bus alone. */
  readonly host?: (
    module: DynamicModule,
    server: OperationServer,
    resources: Resources<C>,
  ) => Promise<Host>;
}

/** A service as a process or a composition runs it. */
export interface Service extends Pick<INestApplicationContext, 'get'> {
  /** Serves its operations, and lets its events and audit records leave. */
  listen(): Promise<void>;
  /** Finishes what is under way, then closes everything that was opened for it. */
  close(): Promise<void>;
  /** True if it is connected to the database, while it listens. */
  isConnected(): boolean;
}

/**
 * The shell of a service: database and pool, engine, signing key, large bodies, outbox relay, audit
 * forwarding and maintenance jobs around the features that `module` names.
 *
 * @throws Error when an operation of the service has no handler, or two
 * @throws ConfigError when SECRETS_KEYS lacks a key that a secret of the service is encrypted with
 */
export async function createService<C extends ServiceConfig>(
  options: ServiceOptions<C>,
): Promise<Service> {
  const { name, config, entities = [], jobs = [], host = onTheBus } = options;
  const { bus, log, health, metrics } = options.process;
  const { databaseUrl: url, poolSize } = config;
  const keyring = Keyring.parse(config.secretsKeys, options.sealed);
  const database = await Database.connect({ url, schema: name, entities, poolSize });
  await checked(database, keyring, options);
  const large = carryLargeBodies(bus, config, log);
  const resources: Resources<C> = {
    config,
    database,
    work: new UnitOfWork(database),
    bus: large.bus,
    blobs: large.blobs,
    listener: listenerOf(url, log),
    keyring,
    callerKey: readCallerKey(config.callerKey),
    log,
  };
  const recorded = boundOf(resources);
  const server = serverOf(options, resources, recorded);
  const served = await host(moduleOf(options, resources), server, resources);
  const stopMaintenance = startMaintenance(database, log, { jobs, recorded });
  const closing: (() => Promise<unknown>)[] = [];
  return {
    async listen() {
      await served.listen();
      const { listener } = resources;
      watchService(metrics, name, database);
      health.ready(`${name} database`, () => listener.isConnected || 'no connection');
      const relay = startRelay({ ...resources, schema: name, publisher: name });
      closing.push(() => relay.stop());
      if (!services[name].forwardsAudit) return;
      const forwarding = startAuditForwarding(resources);
      // The last records leave through the relay, as events do.
      closing.unshift(() => forwarding.stop());
    },
    async close() {
      await served.close();
      for (const close of closing) await close();
      await stopMaintenance();
      await resources.listener.close();
      await large.close();
      await database.close();
    },
    isConnected: () => resources.listener.isConnected,
    get: served.get.bind(served),
  };
}

const boundOf = ({ database, config }: Resources): RecordedBytes =>
  new RecordedBytes(database, {
    ownerDay: config.quotaRecordedBytes,
    workspace: config.quotaStoredBytes,
  });

/** Runs the checks before the start, and closes the database when one of them fails. */
async function checked<C extends ServiceConfig>(
  database: Database,
  keyring: Keyring,
  { sealed, check }: ServiceOptions<C>,
): Promise<void> {
  try {
    if (sealed) await requireSealingKeys(database, keyring);
    await check?.(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

const listenerOf = (url: string, log: Log): Listener =>
  new Listener({
    url,
    onLoss: (err) => {
      log.warn({ err }, 'database notifications are interrupted, reconnecting');
    },
  });

function serverOf<C extends ServiceConfig>(
  { name, keysOfCallers = {}, memberRights }: ServiceOptions<C>,
  { database, work, bus, callerKey, log }: Resources,
  recorded: RecordedBytes,
) {
  const rights = { callerKey, keysOfCallers, memberRights };
  const engine = new Engine({ database, work, ...rights, recorded, log });
  const encryptions = encryptionsOf({ ...keysOfCallers, [name]: callerKey });
  return new OperationServer(name, bus, engine, encryptions);
}

/** Serves a service on the bus alone. */
export async function onTheBus(
  module: DynamicModule,
  strategy: OperationServer,
  { log }: Pick<Resources, 'log'>,
): Promise<INestMicroservice> {
  const options = { strategy, logger: new NestLog(log), abortOnError: false };
  const app = await NestFactory.createMicroservice(module, options);
  return app.useGlobalFilters(new RethrowFilter());
}

@Module({})
class SharedModule {}

@Module({})
class ServiceModule {}

/** The features, what they share, and the operations that the engine serves itself. */
function moduleOf<C extends ServiceConfig>(
  options: ServiceOptions<C>,
  resources: Resources<C>,
): DynamicModule {
  const { config, database, work, blobs, keyring, log } = resources;
  const quotas = { storedBytes: config.quotaStoredBytes, ...options.quotas };
  const pageKeys = keyring.derive('page-token');
  const providers = [
    { provide: config.constructor as Type, useValue: config },
    { provide: Database, useValue: database },
    { provide: UnitOfWork, useValue: work },
    { provide: Keyring, useValue: keyring },
    { provide: PageTokens, useValue: new PageTokens([pageKeys.current, ...pageKeys.all]) },
    { provide: logToken, useValue: log },
    { provide: blobsToken, useValue: blobs },
  ];
  const shared = { module: SharedModule, global: true, providers, exports: providers };
  return {
    module: ServiceModule,
    imports: [shared, options.module(resources)],
    controllers: [builtInHandlers(options.name, database, { ...options, quotas })],
  };
}
