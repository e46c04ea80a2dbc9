import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CallSeal, callerKey, type CallerKey } from '@postroom/access';
import type { Bus, Unsubscribe } from '@postroom/bus';
import type { ServiceName } from '@postroom/contracts';
import {
  carryLargeBodies,
  Engine,
  OperationClient,
  OperationServer,
  RethrowFilter,
  startMaintenance,
  startRelay,
  type Relay,
} from '@postroom/operations';
import { Listener, type Database } from '@postroom/persistence';
import { NestLog, type Health, type Log, type Metrics } from '@postroom/service';
import type { FastifyInstance } from 'fastify';
import { AuditChain, startSealing } from './audit/index.js';
import { connectAccess } from './access-database.js';
import { maintenanceJobs } from './maintenance-jobs.js';
import { KeyAuthentication } from './authentication/index.js';
import { jsonParser } from './bodies/index.js';
import type { GatewayConfig } from './config.js';
import { GatewayModule } from './gateway.module.js';
import { fastifyAdapter, giveUpMs, ProblemFilter, recordAnswers } from './http/index.js';
import { openWorkspace, workspaceId, type NewWorkspace } from './tenants/index.js';

/** What a process has one of, shared by the apps that live in it. */
export interface ProcessParts {
  readonly bus: Bus;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** The gateway as a process or a composition runs it. */
export interface GatewayApp {
  /** Serves the access operations and HTTP; resolves once the port is bound. */
  listen(): Promise<void>;
  /** Refuses new requests, answers those in flight, then closes. */
  close(): Promise<void>;
  /** The token of the one-time link of a workspace's first administrator. */
  openWorkspace(workspace: NewWorkspace): Promise<string>;
  /** The id of the workspace of that name; null when there is none. */
  workspaceId(name: string): Promise<string | null>;
}

/** Builds the gateway from its configuration and a bus. */
export async function createGatewayApp(
  config: GatewayConfig,
  process: ProcessParts,
): Promise<GatewayApp> {
  const { log, metrics, health } = process;
  const callerKeys = signingKeys(config);
  const large = carryLargeBodies(process.bus, config, log);
  const { bus, blobs } = large;
  const database = await connectAccess(config.databaseUrl);
  const adapter = fastifyAdapter(config.trustedProxies);
  const fastify = adapter.getInstance<FastifyInstance>();
  const parseJson = jsonParser(fastify);
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.from({ ...process, bus, blobs, config, database, callerKeys, parseJson }),
    adapter,
    { logger: new NestLog(log), bodyParser: false, abortOnError: false },
  );
  app.useGlobalFilters(new ProblemFilter(log));
  const strategy = serverOf(callerKeys.access, database, bus, log);
  app
    .connectMicroservice({ strategy }, { deferInitialization: true })
    .useGlobalFilters(new RethrowFilter());
  const listener = listenerOf(config, log);
  const recorded = recordAnswers(app, fastify, metrics, log);
  const stopMaintenance = startMaintenance(database, log, { jobs: maintenanceJobs });
  let relay: Relay | undefined;
  let stopSealing: Unsubscribe | undefined;
  return {
    async listen() {
      await app.get(KeyAuthentication).lease.watch(listener);
      health.ready('access database', () => listener.isConnected || 'no connection');
      stopSealing = await startSealing({ database, log, bus }, app.get(AuditChain));
      await app.startAllMicroservices();
      await app.listen(config.port, config.host);
      relay = startRelay({ database, listener, bus, schema: 'access', log });
    },
    async close() {
      await drained(app);
      await recorded();
      await stopSealing?.();
      await relay?.stop();
      await stopMaintenance();
      await listener.close();
      await large.close();
      await database.close();
    },
    openWorkspace: (workspace) => openWorkspace(database, workspace),
    workspaceId: (name) => workspaceId(database, name),
  };
}

/** Closes the app; who waits for a service meanwhile is told in time that it was for nothing. */
async function drained(app: NestFastifyApplication): Promise<void> {
  const late = setTimeout(() => app.get(OperationClient).giveUp(), giveUpMs);
  try {
    await app.close();
  } finally {
    clearTimeout(late);
  }
}

const listenerOf = ({ databaseUrl }: GatewayConfig, log: Log): Listener =>
  new Listener({
    url: databaseUrl,
    onLoss: (err) => {
      log.warn({ err }, 'no notices from the database for a moment');
    },
  });

function serverOf(key: CallerKey, database: Database, bus: Bus, log: Log): OperationServer {
  const engine = new Engine({ database, callerKey: key, log });
  return new OperationServer('access', bus, engine, new CallSeal(key));
}

const signingKeys = (config: GatewayConfig): Record<ServiceName, CallerKey> => ({
  access: callerKey(Buffer.from(config.accessCallerKey, 'base64')),
  mail: callerKey(Buffer.from(config.mailCallerKey, 'base64')),
});
