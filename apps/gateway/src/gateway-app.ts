import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  createService,
  OperationClient,
  RethrowFilter,
  type Host,
  type OperationServer,
  type ProcessParts,
  type Resources,
  type Service,
  type ServiceDefinition,
} from '@postroom/operations';
import { NestLog } from '@postroom/service';
import { isTracing } from '@postroom/tracing';
import {
  Advances,
  approvalGauges,
  AuditChain,
  Closing,
  entities,
  Execution,
  KeyAuthentication,
  maintenanceJobs,
  quotasOf,
  receiveChanges,
  requireAuditKeys,
  MemberAuthentication,
  startNotices,
  startSealing,
  startSweep,
} from './access/index.js';
import { GatewayConfig } from './config.js';
import {
  allowMcpPages,
  fastifyAdapter,
  giveUpMs,
  ProblemFilter,
  recordAnswers,
  serveAssets,
  servePortal,
  Streams,
  traceRequests,
} from './edge/index.js';
import { GatewayModule, keysOfServices } from './gateway.module.js';
import { accessSchema, accessSeals } from './migrations/index.js';

/** Builds the gateway from its configuration and a bus. */
export async function createGatewayApp(
  config: GatewayConfig,
  process: ProcessParts,
): Promise<Service> {
  const { log, health, metrics } = process;
  const adapter = fastifyAdapter(config.trustedProxies, config.connectionsMax);
  allowMcpPages(adapter.getInstance(), config.mcpAllowedOrigins);
  return createService({
    name: 'access',
    config,
    process,
    entities,
    sealed: accessSeals,
    check: (database) => requireAuditKeys(database, new AuditChain(config.auditKey)),
    jobs: maintenanceJobs,
    gauges: approvalGauges,
    quotas: quotasOf(config),
    keysOfCallers: keysOfServices(config),
    module: (resources) => GatewayModule.from({ ...resources, health, metrics }),
    host: async (module, server, resources) => {
      await serveAssets(adapter.getInstance());
      await servePortal(adapter.getInstance());
      const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
        logger: new NestLog(log),
        bodyParser: false,
        abortOnError: false,
      });
      return httpHost(app, server, resources, process);
    },
  });
}

/** Keys, sessions, limits and the audit chain; HTTP in front of every service. */
export const gatewayService: ServiceDefinition<GatewayConfig> = {
  name: 'access',
  config: GatewayConfig,
  schema: accessSchema,
  sealed: accessSeals,
  create: createGatewayApp,
  sendsRequests: true,
};

/** Serves HTTP, and the gateway's own operations on the bus. */
function httpHost(
  app: NestFastifyApplication,
  strategy: OperationServer,
  { config, listener, database, bus, log }: Resources<GatewayConfig>,
  { metrics }: ProcessParts,
): Host {
  app.useGlobalFilters(new ProblemFilter(log));
  app
    .connectMicroservice({ strategy }, { deferInitialization: true })
    .useGlobalFilters(new RethrowFilter());
  const fastify = app.getHttpAdapter().getInstance();
  if (isTracing()) traceRequests(fastify);
  const recorded = recordAnswers(app, fastify, metrics, log);
  let stopSealing = (): Promise<void> => Promise.resolve();
  let stopSweep = stopSealing;
  let stopStream = stopSealing;
  let stopNotices = stopSealing;
  let stopAdvances = stopSealing;
  return {
    get: app.get.bind(app),
    async listen() {
      await app.get(KeyAuthentication).lease.watch(listener);
      await app.get(Streams).watch(listener);
      stopSealing = await startSealing({ database, log, bus }, app.get(AuditChain));
      stopStream = await receiveChanges(bus, database);
      await app.startAllMicroservices();
      const sweeping = { execution: app.get(Execution), closing: app.get(Closing) };
      stopSweep = startSweep({ database, log, ...sweeping });
      stopAdvances = app.get(Advances).start();
      stopNotices = startNotices({
        ...{ database, log, config, operations: app.get(OperationClient) },
        members: app.get(MemberAuthentication),
      });
      await app.listen(config.port, config.host);
    },
    async close() {
      await stopSweep();
      await stopNotices();
      await stopAdvances();
      await stopStream();
      await drained(app);
      await recorded();
      await stopSealing();
    },
  };
}

/** Closes the app; requests that still wait for a service are answered with 503 in time. */
async function drained(app: NestFastifyApplication): Promise<void> {
  const late = setTimeout(() => app.get(OperationClient).giveUp(), giveUpMs);
  try {
    await app.close();
  } finally {
    clearTimeout(late);
  }
}
